// Sign in. Success shows the welcome for 1500 ms, then goes where the visitor wanted. `/forgot-password` is
// this page with its dialog open.
import { lazy, Suspense, useState, type ComponentType } from 'react'
import { Link, useLocation, useNavigate, useSearchParams } from 'react-router'
import { paths, safeNext, withQuery } from '../../lib/paths'
import { session, useSession } from '../../auth/use-session'
import { hasPasskeys } from '../../auth/passkeys'
import type { Tokens, User } from '../../api/auth'
import { lazyPart } from '../../api/lazy-part'
import type { AskedFactor } from '../../api/second-factor'
import { Alert } from '../../ui/alert'
import { AuthCard, SuccessCard } from './auth-card'
import { SignInForm } from './sign-in-form'
import { useRedirectAfterWelcome } from './use-redirect-after-welcome'

const SecondStep = lazyPart(() => import('./second-step'))
/** Another way in: without its chunk there is the password. */
const PasskeySignIn = lazy<ComponentType<{ onSignedIn: (user: User, tokens: Tokens) => void }>>(() =>
  import('./passkey-sign-in').catch(() => ({ default: () => null })),
)
const ForgotPasswordDialog = lazyPart(() => import('./forgot-password'))

/** The step before the dialog is this page: closing it goes there, so that "back" does not come here once more. */
const OPENED_HERE = 'opened here'

export function SignInPage() {
  const [params] = useSearchParams()
  const { pathname, state: origin } = useLocation()
  const navigate = useNavigate()
  const state = useSession()
  const [welcome, setWelcome] = useState<string | null>(null)
  const [address, setAddress] = useState(params.get('email') ?? '')
  const [factor, setFactor] = useState<AskedFactor | null>(null)
  const [over, setOver] = useState<string | null>(null)
  const next = safeNext(params.get('next'))
  const expired = state.status === 'anonymous' && state.reason === 'expired'
  const isForgotten = pathname === paths.forgotPassword

  useRedirectAfterWelcome(welcome !== null, next)

  const enter = (user: User, tokens: Tokens) => {
    session.signIn(user, tokens)
    setWelcome(user.userName)
  }

  if (welcome !== null) return <SuccessCard title="Login Realizado!" text={`Bem-vindo(a), ${welcome}!`} />
  if (factor !== null) {
    return (
      <Suspense fallback={null}>
        <SecondStep
          factor={factor}
          onSignedIn={enter}
          onOver={(why) => {
            setFactor(null)
            setOver(why)
          }}
        />
      </Suspense>
    )
  }
  return (
    <AuthCard title="Entrar" subtitle="Sistema de gestão de entregas">
      {expired && (
        <Alert tone="warning" role="alert" onClose={() => session.forgetExpiry()}>
          Sessão expirada. Faça login novamente.
        </Alert>
      )}
      {over !== null && (
        <Alert tone="warning" role="alert" onClose={() => setOver(null)}>
          {over}
        </Alert>
      )}
      <SignInForm
        address={address}
        next={params.get('next')}
        onAddress={setAddress}
        onForgotten={() =>
          void navigate(withQuery(paths.forgotPassword, { next: params.get('next') }), { state: OPENED_HERE })
        }
        onSignedIn={enter}
        onSecondFactor={(asked) => {
          setOver(null)
          setFactor(asked)
        }}
      />
      {hasPasskeys() && (
        // As high as its button: the link below stays under the finger.
        <Suspense fallback={<div className="h-control" />}>
          <PasskeySignIn onSignedIn={enter} />
        </Suspense>
      )}
      <p className="text-center text-muted">
        Ainda não tem conta?{' '}
        <Link className="link" to={withQuery(paths.signUp, { email: address, next: params.get('next') })}>
          Criar Conta
        </Link>
      </p>
      {isForgotten && (
        <Suspense fallback={null}>
          <ForgotPasswordDialog
            address={address}
            next={params.get('next')}
            onClose={() => {
              if (origin === OPENED_HERE) void navigate(-1)
              else void navigate(withQuery(paths.signIn, { next: params.get('next') }), { replace: true })
            }}
          />
        </Suspense>
      )}
    </AuthCard>
  )
}
