// The fields of sign in and what its refusals lead to.
import { useState, type ChangeEvent } from 'react'
import { useNavigate } from 'react-router'
import { login, resendVerification, type Tokens, type User } from '../../api/auth'
import type { AskedFactor } from '../../api/second-factor'
import { ApiError, asApiError } from '../../api/errors'
import { email, presentPassword } from '../../api/form-fields'
import { useApiForm } from '../../api/use-api-form'
import { paths, withQuery } from '../../lib/paths'
import { plainText } from '../../lib/plain-text'
import { session } from '../../auth/use-session'
import { z } from '../../lib/zod'
import { announce } from '../../ui/announcer'
import { Button } from '../../ui/button'
import { EmailInput } from '../../ui/input'
import { FailureAlert, sentenceAt, useRetrySeconds } from '../../ui/failure-alert'
import { Field } from '../../ui/field'
import { PasswordInput } from '../../ui/password-input'

const schema = z.object({ userEmail: email, password: presentPassword })

interface SignInFormProps {
  address: string
  /** Where the visitor wanted to go; kept on every way that leads back here. */
  next: string | null
  onAddress: (address: string) => void
  onForgotten: () => void
  onSignedIn: (user: User, tokens: Tokens) => void
  /** The password was right, and the account has a second factor. */
  onSecondFactor: (factor: AskedFactor) => void
}

export function SignInForm({ address, next, onAddress, onForgotten, onSignedIn, onSecondFactor }: SignInFormProps) {
  const { register, handleSubmit, getValues, errors, isSubmitting, failure, setFailure, wait } = useApiForm(schema, {
    defaultValues: { userEmail: address, password: '' },
  })
  /** What was refused, and its wait, was about the address of before. */
  const changeAddress = (event: ChangeEvent<HTMLInputElement>) => {
    onAddress(event.target.value)
    setFailure(null)
  }
  const submit = handleSubmit(async (form) => {
    const { user, tokens, secondFactor } = await login(form)
    if (secondFactor) onSecondFactor(secondFactor)
    else if (user && tokens) onSignedIn(user, tokens)
    else throw new ApiError('PARSE_ERROR')
  })

  return (
    <form noValidate onSubmit={submit} className="grid gap-4">
      <Field label="Email" error={errors.userEmail?.message} required>
        <EmailInput autoComplete="username webauthn" {...register('userEmail', { onChange: changeAddress })} />
      </Field>
      <Field label="Senha" error={errors.password?.message} required>
        <PasswordInput autoComplete="current-password" {...register('password')} />
      </Field>
      <button type="button" className="link justify-self-end text-label" onClick={onForgotten}>
        Esqueci minha senha
      </button>
      <FailureAlert
        failure={failure}
        actions={
          failure?.code === 'EMAIL_NOT_VERIFIED' ? (
            <VerifyNow email={plainText(getValues('userEmail'))} next={next} />
          ) : (
            isLock(failure) && (
              <button type="button" onClick={onForgotten}>
                Redefinir a senha
              </button>
            )
          )
        }
      />
      <Button type="submit" className="w-full" disabled={wait > 0} busy={isSubmitting && 'Entrando...'}>
        Entrar
      </Button>
    </form>
  )
}

/** No wait between two tries is an hour: only a new password opens an account that was guessed at so often. */
function isLock(failure: ApiError | null): boolean {
  return failure?.code === 'RATE_LIMITED' && (failure.retryAfter ?? 0) >= 3600
}

interface VerifyNowProps {
  email: string
  next: string | null
}

/** Sends a fresh code and goes to its page. A code that could not be sent is said beside the button, which stays. */
function VerifyNow({ email, next }: VerifyNowProps) {
  const navigate = useNavigate()
  const [sending, setSending] = useState(false)
  const [failure, setFailure] = useState<ApiError | null>(null)
  const wait = useRetrySeconds(failure)
  const isOff = sending || wait > 0
  const verify = async () => {
    setSending(true)
    setFailure(null)
    try {
      await resendVerification(email)
      session.markCodeSent('verify')
      await navigate(withQuery(paths.verifyEmail, { email, next }))
    } catch (thrown) {
      const error = asApiError(thrown)
      setSending(false)
      setFailure(error)
      announce(error.sentence)
    }
  }
  return (
    <>
      <button type="button" aria-disabled={isOff || undefined} onClick={() => isOff || void verify()}>
        Verificar agora
      </button>
      {failure && <p className="w-full font-normal tabular-nums">{sentenceAt(failure, wait)}</p>}
    </>
  )
}
