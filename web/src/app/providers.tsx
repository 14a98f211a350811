// What every screen needs around it: the query cache and the session's upkeep. Retries live in the transport,
// so queries do not repeat on their own; a verdict of the server is never asked for twice.
import type { ReactNode } from 'react'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { useSessionUpkeep } from '../auth/use-session'

const queries = new QueryClient({
  defaultOptions: {
    queries: { retry: false, staleTime: 30_000, gcTime: 5 * 60_000 },
    mutations: { retry: false },
  },
})

export function Providers({ children }: { children: ReactNode }) {
  return (
    <QueryClientProvider client={queries}>
      <SessionUpkeep />
      {children}
    </QueryClientProvider>
  )
}

function SessionUpkeep() {
  useSessionUpkeep()
  return null
}
