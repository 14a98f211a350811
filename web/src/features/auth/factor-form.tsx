// Shows a second factor: the code of the app, a passkey or a recovery code, whichever the person has. Used by the
// second step of a sign-in and by the dialog that asks again.
import { useEffect, useState, type SubmitEvent } from 'react'
import { asApiError, fieldSentenceOf, type ApiError } from '../../api/errors'
import type { FactorMethod, Proof } from '../../api/second-factor'
import { aboutThePasskey } from '../../auth/passkeys'
import { Button } from '../../ui/button'
import { FailureAlert, useRetrySeconds } from '../../ui/failure-alert'
import { Field } from '../../ui/field'
import { KeyIcon } from '../../ui/icons'
import { Input } from '../../ui/input'
import { OtpInput } from '../../ui/otp-input'
import { useFocusFirstError } from '../../ui/use-focus-first-error'

interface FactorFormProps {
  methods: readonly FactorMethod[]
  /** Sends the proof; what it throws is shown here. */
  onProof: (proof: Proof) => Promise<void>
  /** Asks the browser for a passkey. */
  onPasskey: () => Promise<Proof>
  /** Where the form appears by itself: its first field takes the focus. */
  takesFocus?: boolean
}

const REFUSED = 'INVALID_SECOND_FACTOR'

const switchLabels: Record<FactorMethod, string> = {
  totp: 'Usar o código do aplicativo',
  passkey: 'Usar a chave de acesso',
  recovery: 'Usar um código de recuperação',
}

export function FactorForm({ methods: offered, onProof, onPasskey, takesFocus = false }: FactorFormProps) {
  // How another one is shown, only a newer build knows.
  const methods = offered.filter((one) => Object.hasOwn(switchLabels, one))
  const [method, setMethod] = useState<FactorMethod>(methods[0] ?? 'recovery')
  const [code, setCode] = useState('')
  const [recoveryCode, setRecoveryCode] = useState('')
  const [failure, setFailure] = useState<ApiError | null>(null)
  const [busy, setBusy] = useState(false)
  const [missing, setMissing] = useState<{ sentence: string }>()
  const wait = useRetrySeconds(failure)
  const refused = failure?.code === REFUSED && method !== 'passkey' ? failure : missing
  const wrong = refused?.sentence
  const form = useFocusFirstError<HTMLFormElement>(refused)
  /** Another object each time that the first field is to take the focus. */
  const [focusRequest, setFocusRequest] = useState<object | false>(takesFocus && {})
  useEffect(() => {
    if (focusRequest) form.current?.querySelector<HTMLElement>('input, button')?.focus()
  }, [focusRequest, form])

  const run = async (proof: () => Promise<Proof>) => {
    if (busy || wait > 0) return
    setBusy(true)
    setFailure(null)
    setMissing(undefined)
    try {
      await onProof(await proof())
    } catch (thrown) {
      const error = asApiError(thrown)
      setFailure(method === 'passkey' ? aboutThePasskey(error) : error)
      // After a refusal the next code finds its boxes empty; one that was not judged is sent again.
      if (!error.isUncertain) setCode('')
    } finally {
      setBusy(false)
    }
  }
  /** Nothing is sent: what was refused before is about another code. */
  const refuse = (sentence: string) => {
    setMissing({ sentence })
    setFailure((before) => (before?.code === REFUSED ? null : before))
  }
  const takeCode = (digits: string) => {
    setCode(digits)
    setMissing(undefined)
  }
  const sendCode = (digits: string) => {
    if (digits.length === 6) void run(async () => ({ code: digits }))
    else refuse(fieldSentenceOf(digits === '' ? 'REQUIRED' : 'CODE_INVALID'))
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (method === 'passkey') void run(onPasskey)
    else if (method === 'totp') sendCode(code)
    else if (recoveryCode.trim() === '') refuse(fieldSentenceOf('REQUIRED'))
    else void run(async () => ({ recoveryCode }))
  }
  /** The pressed button goes with what it chooses. */
  const choose = (next: FactorMethod) => {
    setMethod(next)
    setFocusRequest({})
    setFailure(null)
    setMissing(undefined)
  }

  return (
    <form ref={form} noValidate onSubmit={submit} className="grid gap-4">
      {method === 'totp' && (
        <Field
          label="Código do aplicativo"
          error={wrong}
          hint="Os 6 dígitos que o seu aplicativo autenticador mostra agora."
          required
        >
          <OtpInput
            value={code}
            onChange={takeCode}
            onComplete={sendCode}
            onForeign={() => refuse('Código deve conter apenas números')}
          />
        </Field>
      )}
      {method === 'recovery' && (
        <Field
          label="Código de recuperação"
          error={wrong}
          hint="Um dos códigos que você guardou. Cada um vale uma vez."
          required
        >
          <Input
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            className="font-mono"
            placeholder="XXXX-XXXX-XXXX-XXXX"
            value={recoveryCode}
            onChange={(event) => setRecoveryCode(event.target.value)}
          />
        </Field>
      )}
      {method === 'passkey' && (
        <p className="text-muted">Confirme com a digital, o rosto, o PIN ou a chave de segurança deste aparelho.</p>
      )}
      {!(wrong && failure) && <FailureAlert failure={failure} />}
      <Button type="submit" className="w-full" disabled={wait > 0} busy={busy && 'Confirmando...'}>
        {method === 'passkey' && <KeyIcon />}
        {method === 'passkey' ? 'Usar chave de acesso' : 'Confirmar'}
      </Button>
      {methods.length > 1 && (
        <div className="grid justify-items-center gap-2 text-label">
          {methods
            .filter((other) => other !== method)
            .map((other) => (
              <button key={other} type="button" className="link" disabled={busy} onClick={() => choose(other)}>
                {switchLabels[other]}
              </button>
            ))}
        </div>
      )}
    </form>
  )
}
