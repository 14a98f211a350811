// Sign up: the form, and the success screen that leads to the e-mail verification. With an invite's token the new
// account joins the company when its address is verified.
import { useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'react-router'
import { register } from '../../api/auth'
import { invitePreviewQuery } from '../../api/companies'
import { asApiError, sentences, type ApiError } from '../../api/errors'
import { paths, withQuery } from '../../app/paths'
import { session } from '../../auth/use-session'
import { Alert } from '../../ui/alert'
import { buttonClass } from '../../ui/button'
import { SkeletonLines } from '../../ui/skeleton'
import { AuthCard, SuccessCard } from './auth-card'
import { VERIFY_FLOW } from './use-resend'
import { inviteAddressOnly, SignUpFormFields } from './sign-up-form'
import type { SignUpForm } from './schemas'

export function SignUpPage() {
  const [params] = useSearchParams()
  const token = params.get('invite') ?? ''
  const next = params.get('next')
  const invite = useQuery({ ...invitePreviewQuery(token), enabled: token !== '' })
  const invalid = invite.error !== null && asApiError(invite.error).code === 'INVITE_INVALID'
  const [createdFor, setCreatedFor] = useState<string | null>(null)

  if (createdFor !== null) {
    return (
      <SuccessCard
        title="Cadastro Realizado!"
        text="Cadastro realizado com sucesso! Verifique seu email para ativar sua conta."
        action={
          <Link className={buttonClass({}, 'w-full')} to={withQuery(paths.verifyEmail, { email: createdFor, next })}>
            Verificar Email
          </Link>
        }
      />
    )
  }

  const submit = async (form: SignUpForm): Promise<ApiError | null> => {
    try {
      await register({ ...form, ...(token && !invalid && { inviteToken: token }) })
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
          <Link className="link" to={withQuery(paths.signIn, { next: token ? acceptPath(token) : next })}>
            Entrar
          </Link>
        </>
      }
    >
      {token && !invalid && (
        <Alert tone="info" title={invite.data && `Convite para ${invite.data.companyName}`}>
          {inviteAddressOnly}
        </Alert>
      )}
      {invalid && (
        <Alert tone="warning" title={sentences.INVITE_INVALID}>
          Você pode criar a conta e pedir um novo convite.
        </Alert>
      )}
      {token && invite.isPending ? <SkeletonLines count={6} /> : <SignUpFormFields address={invite.data?.userEmail ?? ''} onSubmit={submit} />}
    </AuthCard>
  )
}

function acceptPath(token: string): string {
  return withQuery(paths.acceptInvite, { token })
}
