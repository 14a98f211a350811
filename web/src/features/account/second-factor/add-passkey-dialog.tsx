// Adds a passkey: its name, the password when it is the first factor, then the browser's own question. Where the answer
// is lost, the person's passkeys tell what became of it: the browser does not make the same one twice.
import { useRef, useState } from 'react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { asApiError, fieldSentenceOf } from '../../../api/errors'
import { addPasskey, creationOptions, secondFactorQuery, type Passkey } from '../../../api/second-factor'
import { aboutThePasskey, makePasskey } from '../../../auth/passkeys'
import { deviceName } from '../../../lib/device'
import { plainText } from '../../../lib/plain-text'
import { Dialog } from '../../../ui/dialog'
import { Field } from '../../../ui/field'
import { Input } from '../../../ui/input'
import { notifySuccess } from '../../../ui/toast'
import { useFocusFirstError } from '../../../ui/use-focus-first-error'
import { codesLost, factorAdded } from './factor-added'
import { PasswordStep } from './password-step'
import { RecoveryCodes } from './recovery-codes'

const LONGEST_NAME = 60

type Added = Pick<Awaited<ReturnType<typeof addPasskey>>, 'recoveryCodes'>

/** A try whose answer was lost. */
interface Lost {
  name: string
  /** The passkeys before it. */
  known: readonly Passkey[]
  isFirst: boolean
}

export function AddPasskeyDialog({ isFirst, onClose }: { isFirst: boolean; onClose: () => void }) {
  const queries = useQueryClient()
  const [name, setName] = useState(() => deviceName(navigator.userAgent).slice(0, LONGEST_NAME))
  const [missing, setMissing] = useState<object | false>(false)
  const [codes, setCodes] = useState<readonly string[]>()
  const lost = useRef<Lost>(undefined)
  const isThere = async (tried: Lost): Promise<boolean> => {
    const { passkeys } = await queries.fetchQuery({ ...secondFactorQuery(), staleTime: 0 })
    const made = passkeys.filter((passkey) => passkey.name === tried.name)
    const found = made.some(({ id }) => !tried.known.some((known) => known.id === id))
    // Codes come with the first factor alone.
    if (found && tried.isFirst) codesLost(queries)
    return found
  }
  const adding = useMutation({
    mutationFn: async (password: string | undefined): Promise<Added> => {
      if (lost.current && (await isThere(lost.current))) return {}
      const known = queries.getQueryData(secondFactorQuery().queryKey)?.passkeys ?? []
      const tried = { name: plainText(name), known, isFirst: password !== undefined }
      const credential = await makePasskey(await creationOptions(password))
      try {
        return await addPasskey(tried.name, credential)
      } catch (thrown) {
        const error = asApiError(thrown)
        if (!error.isUncertain) throw aboutThePasskey(error)
        lost.current = tried
        if (await isThere(tried).catch(() => false)) return {}
        throw error
      }
    },
    onSuccess: ({ recoveryCodes }) => {
      factorAdded(queries, recoveryCodes)
      notifySuccess('Chave de acesso adicionada.')
      if (recoveryCodes) setCodes(recoveryCodes)
      else onClose()
    },
  })
  const wrong = adding.error && asApiError(adding.error).fields.name
  const field = useFocusFirstError<HTMLDivElement>(missing || (wrong && adding.error))
  const sentence = missing ? fieldSentenceOf('REQUIRED') : typeof wrong === 'string' && fieldSentenceOf(wrong)
  return (
    <Dialog
      onClose={onClose}
      busy={adding.isPending || codes !== undefined}
      title={codes ? 'Códigos de recuperação' : 'Adicionar chave de acesso'}
    >
      {codes ? (
        <RecoveryCodes codes={codes} onDone={onClose} />
      ) : (
        <PasswordStep
          isFirst={isFirst}
          text="O navegador vai pedir a digital, o rosto, o PIN ou uma chave de segurança. Depois você entra com ela, sem senha."
          actLabel="Adicionar chave de acesso"
          busy={adding.isPending}
          error={adding.error}
          onNext={(password) => {
            setMissing(plainText(name) === '' && {})
            if (plainText(name) !== '') adding.mutate(password)
          }}
        >
          <div ref={field}>
            <Field label="Nome da chave" error={sentence || undefined} hint="Para você a reconhecer na lista." required>
              <Input
                value={name}
                maxLength={LONGEST_NAME}
                autoComplete="off"
                onChange={(event) => setName(event.target.value)}
              />
            </Field>
          </div>
        </PasswordStep>
      )}
    </Dialog>
  )
}
