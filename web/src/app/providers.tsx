// What every screen needs around it: the query cache and the upkeep of session and pause. Calls are repeated by
// `api/retries.ts`, so queries do not repeat on their own; a verdict of the server is never asked for twice.
import { useEffect, type ReactNode } from 'react'
import { QueryClientProvider, type Query } from '@tanstack/react-query'
import { AppQueryClient } from '../api/query-client'
import { session, SessionUpkeep } from '../auth/use-session'
import { forgetPause, liveStatus } from '../live/status'
import { IconStroke } from '../ui/icons'

/** Who paused the updates finds the page as it was left; only what could not be read is tried again. */
const unlessPaused = ({ state }: Query) => !liveStatus.get().paused || state.status === 'error'

export const queries = new AppQueryClient({
  defaultOptions: {
    // Without network a call fails and says so, instead of waiting for ever.
    queries: {
      retry: false,
      staleTime: 30_000,
      gcTime: 5 * 60_000,
      networkMode: 'always',
      refetchOnReconnect: unlessPaused,
      refetchOnWindowFocus: unlessPaused,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
})

export function Providers({ children }: { children: ReactNode }) {
  useEffect(
    () =>
      session.state.subscribe(() => {
        if (session.state.get().status === 'anonymous') forgetPause()
      }),
    [],
  )
  return (
    <QueryClientProvider client={queries}>
      <SessionUpkeep />
      <IconStroke strokeWidth={1.75}>{children}</IconStroke>
    </QueryClientProvider>
  )
}
