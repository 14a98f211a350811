// Sign up: the form, and the success screen that leads to the e-mail verification.
import { useState } from 'react'
import { Link } from 'react-router'
import { register } from '../../api/auth'
import { asApiError, type ApiError } from '../../api/errors'
import { paths, withQuery } from '../../app/paths'
import { session } from '../../auth/use-session'
import { buttonClass } from '../../ui/button'
import { AuthCard, SuccessCard } from './auth-card'
import { VERIFY_FLOW } from './use-resend'
import { SignUpFormFields } from './sign-up-form'
import type { SignUpForm } from './schemas'

export function SignUpPage() {
  const [createdFor, setCreatedFor] = useState<string | null>(null)

  if (createdFor !== null) {
    return (
      <SuccessCard
        title="Cadastro Realizado!"
        text="Cadastro realizado com sucesso! Verifique seu email para ativar sua conta."
        action={
          <Link className={buttonClass({}, 'w-full')} to={withQuery(paths.verifyEmail, { email: createdFor })}>
            Verificar Email
          </Link>
        }
      />
    )
  }

  const submit = async (form: SignUpForm): Promise<ApiError | null> => {
    try {
      await register(form)
      session.markCodeSent(VERIFY_FLOW)
      setCreatedFor(form.userEmail)
      return null
    } catch (error) {
      return asApiError(error)
    }
  }

  return (
    <AuthCard
      title="Criar Conta"
      subtitle={
        <>
          Já tem conta?{' '}
          <Link className="link" to={paths.signIn}>
            Entrar
          </Link>
        </>
      }
    >
      <SignUpFormFields onSubmit={submit} />
    </AuthCard>
  )
}
