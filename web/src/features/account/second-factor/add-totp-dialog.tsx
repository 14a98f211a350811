// Sets up an authenticator app: the password when it is the first factor, the QR code, the first code, the
// recovery codes.
import { Suspense, useState, type SubmitEvent } from 'react'
import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query'
import { asApiError, fieldSentenceOf } from '../../../api/errors'
import { lazyPart } from '../../../api/lazy-part'
import { confirmTotp, offerTotp, secondFactorQuery } from '../../../api/second-factor'
import { Button } from '../../../ui/button'
import { CopyField } from '../../../ui/copy-field'
import { Dialog } from '../../../ui/dialog'
import { FailureAlert, useRetrySeconds } from '../../../ui/failure-alert'
import { Field } from '../../../ui/field'
import { OtpInput } from '../../../ui/otp-input'
import { Skeleton } from '../../../ui/skeleton'
import { notifySuccess } from '../../../ui/toast'
import { useFocusFirstError } from '../../../ui/use-focus-first-error'
import { codesLost, factorAdded } from './factor-added'
import { PasswordStep } from './password-step'
import { RecoveryCodes } from './recovery-codes'

const QrCode = lazyPart(() => import('../../../ui/qr-code'))

type Offer = Awaited<ReturnType<typeof offerTotp>>
type Confirmation = Awaited<ReturnType<typeof confirmTotp>>

export function AddTotpDialog({ isFirst, onClose }: { isFirst: boolean; onClose: () => void }) {
  const queries = useQueryClient()
  const offering = useMutation({ mutationFn: offerTotp })
  const [codes, setCodes] = useState<readonly string[]>()
  const confirming = useMutation({
    mutationFn: (code: string): Promise<Confirmation> =>
      confirmTotp(code).catch(async (error: unknown) => {
        if (asApiError(error).code !== 'INVALID_SECOND_FACTOR') throw error
        // A try before may have set the app up, and its answer was lost.
        const factor = await queries.fetchQuery({ ...secondFactorQuery(), staleTime: 0 }).catch(() => null)
        if (!factor?.totpEnabledAt) throw error
        // Codes come with the first factor, which alone asks for the password.
        if (offering.variables !== undefined) codesLost(queries)
        return {}
      }),
    onSuccess: ({ recoveryCodes }) => {
      factorAdded(queries, recoveryCodes)
      notifySuccess('Aplicativo autenticador ativado.')
      if (recoveryCodes) setCodes(recoveryCodes)
      else onClose()
    },
  })
  return (
    <Dialog
      onClose={onClose}
      // Closed before its answer, the dialog would never show the codes.
      busy={offering.isPending || confirming.isPending || codes !== undefined}
      title={codes ? 'Códigos de recuperação' : 'Ativar aplicativo autenticador'}
    >
      {codes && <RecoveryCodes codes={codes} onDone={onClose} />}
      {!codes && offering.data && <FirstCode offer={offering.data} confirming={confirming} />}
      {!codes && !offering.data && (
        <PasswordStep
          isFirst={isFirst}
          text="Você vai precisar de um aplicativo como Google Authenticator, Microsoft Authenticator ou 1Password no celular."
          busy={offering.isPending}
          error={offering.error}
          onNext={(password) => offering.mutate(password)}
        />
      )}
    </Dialog>
  )
}

interface FirstCodeProps {
  offer: Offer
  confirming: UseMutationResult<Confirmation, Error, string>
}

function FirstCode({ offer, confirming }: FirstCodeProps) {
  const [code, setCode] = useState('')
  const [missing, setMissing] = useState<{ sentence: string }>()
  const failure = confirming.error && asApiError(confirming.error)
  const wrong = failure?.code === 'INVALID_SECOND_FACTOR'
  const refused = missing ?? (wrong ? failure : undefined)
  const form = useFocusFirstError<HTMLFormElement>(refused)
  const wait = useRetrySeconds(failure)
  /** Nothing is sent: what was refused before is about another code. */
  const refuse = (sentence: string) => {
    setMissing({ sentence })
    if (wrong) confirming.reset()
  }
  const take = (digits: string) => {
    setCode(digits)
    setMissing(undefined)
  }
  const onError = (error: Error) => {
    // After a refusal the next code finds its boxes empty; one that was not judged is sent again.
    if (!asApiError(error).isUncertain) setCode('')
  }
  const send = (digits: string) => {
    if (confirming.isPending || wait > 0) return
    setMissing(undefined)
    if (digits.length === 6) confirming.mutate(digits, { onError })
    else refuse(fieldSentenceOf(digits === '' ? 'REQUIRED' : 'CODE_INVALID'))
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    send(code)
  }
  return (
    <form ref={form} noValidate onSubmit={submit} className="grid gap-4">
      <p>1. Leia o QR Code com o aplicativo, ou digite a chave nele.</p>
      <div className="grid min-h-[200px] justify-center">
        <Suspense fallback={<Skeleton className="size-[200px]" />}>
          <QrCode value={offer.uri} size={192} title="QR Code do aplicativo autenticador" />
        </Suspense>
      </div>
      <CopyField
        label="Chave"
        value={grouped(offer.secret)}
        copyValue={offer.secret}
        copyLabel="Copiar chave"
        copiedLabel="Chave copiada"
      />
      <Field label="2. Código que o aplicativo mostra" error={refused?.sentence} required>
        <OtpInput
          value={code}
          onChange={take}
          onComplete={send}
          onForeign={() => refuse('Código deve conter apenas números')}
        />
      </Field>
      {!wrong && <FailureAlert title="Erro ao ativar o aplicativo" failure={failure} />}
      <Button type="submit" className="w-full" disabled={wait > 0} busy={confirming.isPending && 'Ativando...'}>
        Ativar
      </Button>
    </form>
  )
}

/** Groups of four are easier to type. */
function grouped(secret: string): string {
  return secret.match(/.{1,4}/g)?.join(' ') ?? secret
}
