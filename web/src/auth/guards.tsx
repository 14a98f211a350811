// Who may see a branch of the routes. Decided by the session, which is restored before the first render.
import { useState } from 'react'
import { Navigate, Outlet, useLocation } from 'react-router'
import { pageOf, paths, safeNext, withQuery } from '../lib/paths'
import { isAddressOf } from './stored'
import { useSession } from './use-session'

/** Signed-out visitors go to sign in and come back afterwards; after signing out on purpose they do not. */
export function RequireSession() {
  const session = useSession()
  const { pathname, search } = useLocation()
  if (session.status === 'authenticated') return <Outlet />
  const next = session.reason === 'signedOut' ? null : pathname + search
  return <Navigate replace to={withQuery(paths.signIn, { next })} />
}

/**
 * Signed-in visitors of the auth pages go on to where they wanted. Asked once per page: signing in on the page itself
 * shows its welcome first, and who signed in in another tab meanwhile goes on with the next page.
 * A forgotten password is for everybody, and so is the address of another account: mails lead to both.
 */
export function AnonymousOnly() {
  const session = useSession()
  const user = session.status === 'authenticated' ? session.user : null
  const { pathname, search } = useLocation()
  const page = pageOf(pathname)
  const [asked, setAsked] = useState({ page, user })
  if (asked.page !== page) setAsked({ page, user })
  const params = new URLSearchParams(search)
  const address = pathname === paths.verifyEmail ? params.get('email') : null
  const isOfAnother = asked.user !== null && address !== null && !isAddressOf(asked.user, address)
  const leads = asked.user !== null && pathname !== paths.forgotPassword && !isOfAnother
  return leads ? <Navigate replace to={safeNext(params.get('next'))} /> : <Outlet />
}
