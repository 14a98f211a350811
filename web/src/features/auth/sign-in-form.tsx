// The fields of sign in and what its refusals lead to.
import { useState } from 'react'
import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { useNavigate } from 'react-router'
import { login, resendVerification, type Tokens, type User } from '../../api/auth'
import type { AskedFactor } from '../../api/second-factor'
import { ApiError, asApiError } from '../../api/errors'
import { placeErrors } from '../../api/form-errors'
import { paths, withQuery } from '../../lib/paths'
import { session } from '../../auth/use-session'
import { Button } from '../../ui/button'
import { FailureAlert, useRetrySeconds } from '../../ui/failure-alert'
import { Field } from '../../ui/field'
import { Input } from '../../ui/input'
import { PasswordInput } from '../../ui/password-input'
import { signInSchema } from './schemas'

export interface SignInFormProps {
  address: string
  /** Where the visitor wanted to go; kept on every way that leads back here. */
  next: string | null
  onAddress: (address: string) => void
  onForgotten: () => void
  onSignedIn: (user: User, tokens: Tokens) => void
  /** The password was right, and the account has a second factor. */
  onAsked: (asked: AskedFactor) => void
}

export function SignInForm({ address, next, onAddress, onForgotten, onSignedIn, onAsked }: SignInFormProps) {
  const { register, handleSubmit, setError, formState, getValues } = useForm({
    resolver: zodResolver(signInSchema),
    mode: 'onTouched',
    defaultValues: { userEmail: address, password: '' },
  })
  const { errors, isSubmitting } = formState
  const [failure, setFailure] = useState<ApiError | null>(null)
  const wait = useRetrySeconds(failure)

  const submit = handleSubmit(async (form) => {
    setFailure(null)
    try {
      const { user, tokens, secondFactor } = await login(form)
      if (secondFactor) onAsked(secondFactor)
      else if (user && tokens) onSignedIn(user, tokens)
      else throw new ApiError('PARSE_ERROR')
    } catch (thrown) {
      const error = asApiError(thrown)
      if (!placeErrors(error, setError, { names: ['userEmail', 'password'] })) setFailure(error)
    }
  })

  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="grid gap-4">
      <Field label="Email" error={errors.userEmail?.message} required>
        <Input
          type="email"
          autoComplete="username webauthn"
          autoCapitalize="none"
          spellCheck={false}
          {...register('userEmail', { onChange: (event) => onAddress(event.target.value) })}
        />
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
          failure?.code === 'EMAIL_NOT_VERIFIED' && (
            <VerifyNow email={getValues('userEmail').trim()} next={next} onFailure={setFailure} />
          )
        }
      />
      <Button type="submit" className="w-full" disabled={wait > 0} busy={isSubmitting ? 'Entrando...' : undefined}>
        Entrar
      </Button>
    </form>
  )
}

/** Sends a fresh code and goes to its page. */
function VerifyNow({
  email,
  next,
  onFailure,
}: {
  email: string
  next: string | null
  onFailure: (failure: ApiError) => void
}) {
  const navigate = useNavigate()
  const [sending, setSending] = useState(false)
  const verify = async () => {
    setSending(true)
    try {
      await resendVerification(email)
      session.markCodeSent('verify')
      await navigate(withQuery(paths.verifyEmail, { email, next }))
    } catch (error) {
      setSending(false)
      onFailure(asApiError(error))
    }
  }
  return (
    <button type="button" disabled={sending} onClick={() => void verify()}>
      Verificar agora
    </button>
  )
}
