// React's view of the one session of this tab, and what the tab does for it: refresh on becoming visible,
// follow the other tabs, confirm the stored user with the server.
import { useEffect } from 'react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { meQuery } from '../api/auth'
import { setTokenSource } from '../api/client'
import { useObservable } from '../lib/observable'
import { clearToasts } from '../ui/toast'
import { browserSession } from './browser-session'
import type { SessionState } from './session'
import { answerStepUp } from './step-up'
import type { SessionUser } from './stored'

export const session = browserSession()
setTokenSource(session)

/** Null for who is signed out. */
export function signedInRole(): SessionUser['userRole'] | null {
  return signedInUser()?.userRole ?? null
}

function signedInUser(): SessionUser | null {
  const state = session.state.get()
  return state.status === 'authenticated' ? state.user : null
}

export function useSession(): SessionState {
  return useObservable(session.state)
}

/** The signed-in user; only below `RequireSession`. */
export function useUser(): SessionUser {
  const state = useSession()
  if (state.status !== 'authenticated') throw new Error('useUser needs a signed-in session')
  return state.user
}

/** Mounted once at the root: keeps session, tabs and query cache in step. Shows nothing. */
export function SessionUpkeep(): null {
  const state = useSession()
  const queries = useQueryClient()
  const signedIn = state.status === 'authenticated'
  const me = useQuery({ ...meQuery(), enabled: signedIn })

  useEffect(() => {
    if (me.data) session.update(me.data)
  }, [me.data])

  useEffect(() => {
    if (!signedIn) queries.clear()
  }, [signedIn, queries])

  // At once, so that a farewell said after the session's end stays, and nobody sees what was read for somebody else: a
  // tab that followed another one's sign-in still shows the form, where another person may sign in. The answer of a
  // command that came after its session's end has filled the cache again.
  useEffect(() => {
    let known = signedInUser()
    return session.state.subscribe(() => {
      const user = signedInUser()
      if (user === null) {
        clearToasts()
        // Nobody is left to show a factor: the question would lie over the sign-in.
        answerStepUp(false)
      } else if (known === null) queries.removeQueries({ type: 'inactive' })
      else if (known.id !== user.id) void queries.resetQueries()
      known = user
    })
  }, [queries])

  useEffect(() => {
    const onStorage = (event: StorageEvent) => {
      if (session.follow(event.key)) location.reload()
    }
    const onVisible = () => {
      if (document.visibilityState === 'visible') session.wake()
    }
    window.addEventListener('storage', onStorage)
    document.addEventListener('visibilitychange', onVisible)
    return () => {
      window.removeEventListener('storage', onStorage)
      document.removeEventListener('visibilitychange', onVisible)
    }
  }, [])
  return null
}
