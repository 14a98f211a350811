// A page of one account, seen by somebody who is signed in to another one: it says which account it is about, and its
// way to the sign-in leaves the other one.
import { Link } from 'react-router'
import { paths, withQuery } from '../../lib/paths'
import { isAddressOf } from '../../auth/stored'
import { session, useSession } from '../../auth/use-session'
import { Alert } from '../../ui/alert'

/** The address of who is signed in, unless it is this one; null where nobody is. */
export function useOtherAccount(address: string | null): string | null {
  const state = useSession()
  if (state.status !== 'authenticated' || (address !== null && isAddressOf(state.user, address))) return null
  return state.user.userEmail
}

/** Nothing without an address. */
export function OtherAccountAlert({ address }: { address: string }) {
  const other = useOtherAccount(address)
  if (address === '' || other === null) return null
  return (
    <Alert tone="warning">
      Esta página é da conta <strong className="wrap-anywhere">{address}</strong>, e você entrou como{' '}
      <strong className="wrap-anywhere">{other}</strong>.
    </Alert>
  )
}

/** To the sign-in with that address, which is only shown to who is signed out. */
export function useSignInLink(email: string | null, next: string | null, label = 'Fazer login') {
  const isSignedIn = useSession().status === 'authenticated'
  return {
    to: withQuery(paths.signIn, { email, next }),
    label: isSignedIn ? 'Sair e entrar com esta conta' : label,
    onClick: isSignedIn ? () => void session.signOut() : undefined,
  }
}

export function SignInLink({ email, next, label: own }: { email: string | null; next: string | null; label?: string }) {
  const { to, label, onClick } = useSignInLink(email, next, own)
  return (
    <Link to={to} onClick={onClick}>
      {label}
    </Link>
  )
}
