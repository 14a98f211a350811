// A screen, or a part of one, with what it needs around it: the query cache, and a router that stands at an address.
import type { ReactNode } from 'react'
import { render } from '@testing-library/react'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { MemoryRouter } from 'react-router'

/** Asks once: a failure is shown at once. */
export function askingCache(): QueryClient {
  return new QueryClient({ defaultOptions: { queries: { retry: false } } })
}

export function renderWith(queries: QueryClient, element: ReactNode) {
  return render(<QueryClientProvider client={queries}>{element}</QueryClientProvider>)
}

export function renderAt(address: string, element: ReactNode, queries = askingCache()) {
  return renderWith(queries, <MemoryRouter initialEntries={[address]}>{element}</MemoryRouter>)
}
