// Sign up: the form, and the success screen that leads to the e-mail verification. With an invite's token the new
// account joins the company when its address is verified.
import { Suspense, useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { register } from '../../api/auth'
import { lazyPart } from '../../api/lazy-part'
import { isForPlan, paths, withQuery } from '../../lib/paths'
import { Alert } from '../../ui/alert'
import { session } from '../../auth/use-session'
import { AuthCard, SuccessCard } from './auth-card'
import type { SignUpForm } from './sign-up-schema'
import { SignUpFormFields } from './sign-up-form'

const InvitedSignUp = lazyPart(() => import('./sign-up-invite'))

/**
 * What the last sign-up said, without its password and consents: whoever mistyped the address comes back and corrects
 * it alone. Nowhere but in memory, and only until somebody signs in.
 */
let last: Partial<SignUpForm> = {}

function keep({ userName, userEmail, userDocument, userPhone, userBirthDate }: SignUpForm): void {
  last = { userName, userEmail, userDocument, userPhone, userBirthDate }
}

/** `address`: what was typed at the sign-in, which is newer. */
function known(address: string | null): Partial<SignUpForm> {
  const kept = session.registrationOf(last.userEmail) ? last : {}
  return address ? { ...kept, userEmail: address } : kept
}

export function SignUpPage() {
  const [params] = useSearchParams()
  const token = params.get('invite')
  const next = token ? withQuery(paths.acceptInvite, { token }) : params.get('next')
  const [createdFor, setCreatedFor] = useState<string | null>(null)
  const [given] = useState(() => known(params.get('email')))

  if (createdFor !== null) {
    return (
      <SuccessCard
        title="Cadastro Realizado!"
        text="Cadastro realizado com sucesso! Verifique seu email para ativar sua conta."
        link={{
          to: withQuery(paths.verifyEmail, { email: createdFor, next: params.get('next') }),
          label: 'Verificar Email',
        }}
      />
    )
  }

  const submit = async (form: SignUpForm, inviteToken?: string): Promise<void> => {
    // After an address that was mistyped, the document belongs to the account that cannot be verified.
    const earlier = session.registrationOf()?.registration
    const { registration } = await register({
      ...form,
      ...(inviteToken && { inviteToken }),
      ...(earlier && { registration: earlier }),
    })
    session.keepRegistration(form.userEmail, { registration, next: params.get('next') })
    session.markCodeSent('verify')
    keep(form)
    setCreatedFor(form.userEmail)
  }

  return (
    <AuthCard
      title="Criar Conta"
      subtitle={
        <>
          Já tem conta?{' '}
          <Link className="link" to={withQuery(paths.signIn, { next })}>
            Entrar
          </Link>
        </>
      }
    >
      {isForPlan(params.get('next')) && (
        <Alert tone="info">Primeiro a conta; depois você cria a empresa e assina o plano que escolheu.</Alert>
      )}
      {token ? (
        <Suspense fallback={null}>
          <InvitedSignUp token={token} next={next} onSubmit={submit} />
        </Suspense>
      ) : (
        <SignUpFormFields given={given} next={next} onSubmit={submit} />
      )}
    </AuthCard>
  )
}
