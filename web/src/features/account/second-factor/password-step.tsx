// The first step of adding a factor. A person without a factor gives the password, and hears that the other sessions
// will end. A person with one is asked for it by the server's STEP_UP_REQUIRED.
import { useState, type ReactNode, type SubmitEvent } from 'react'
import { asApiError, fieldSentenceOf } from '../../../api/errors'
import { Button } from '../../../ui/button'
import { FailureAlert, useRetrySeconds } from '../../../ui/failure-alert'
import { Field } from '../../../ui/field'
import { PasswordInput } from '../../../ui/password-input'
import { useFocusFirstError } from '../../../ui/use-focus-first-error'

interface PasswordStepProps {
  /** The person has no factor yet. */
  isFirst: boolean
  text: ReactNode
  busy: boolean
  error: Error | null
  actLabel?: string
  onNext: (password: string | undefined) => void
  /** What else is asked for, above the password. */
  children?: ReactNode
}

export function PasswordStep({
  isFirst,
  text,
  busy,
  error,
  actLabel = 'Continuar',
  onNext,
  children,
}: PasswordStepProps) {
  // The news of the first factor may come before the answer to what adds it: its field stays.
  const [wasFirst] = useState(isFirst)
  const asksPassword = wasFirst || isFirst
  const [password, setPassword] = useState('')
  const failure = error && asApiError(error)
  const wrong = failure?.fields.password
  const wait = useRetrySeconds(failure)
  const [missing, setMissing] = useState<object | false>(false)
  const form = useFocusFirstError<HTMLFormElement>(missing || (wrong && failure))
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setMissing(asksPassword && password === '' && {})
    if (busy || wait > 0 || (asksPassword && password === '')) return
    onNext(asksPassword ? password : undefined)
  }
  const sentence = missing || wrong === 'REQUIRED' ? fieldSentenceOf('REQUIRED') : wrong && 'Senha incorreta'
  return (
    <form ref={form} noValidate onSubmit={submit} className="grid gap-4">
      <p className="text-pretty text-muted">
        {text}
        {asksPassword && ' Ao concluir, suas outras sessões são encerradas.'}
      </p>
      {children}
      {asksPassword && (
        <Field label="Sua senha atual" error={sentence} required>
          <PasswordInput
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        </Field>
      )}
      {failure && !wrong && <FailureAlert failure={failure} />}
      <Button type="submit" className="w-full" disabled={wait > 0} busy={busy && 'Aguarde...'}>
        {actLabel}
      </Button>
    </form>
  )
}
