// Starts the app, step by step: each in a task of its own, and the rendering as a transition, so that the browser can
// breathe on a slow phone.
import { startTransition, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { RouterProvider } from 'react-router/dom'
import { companiesQuery } from '../api/companies'
import { meQuery } from '../api/auth'
import { signedInRole } from '../auth/use-session'
import { watchTheme } from '../ui/theme'
import { preloadOnHint } from './preload'
import { Providers, queries } from './providers'
import { createRouter, routes } from './router'

export function start(): void {
  const root = document.getElementById('root')
  if (root === null) throw new Error('index.html has no #root')
  watchTheme()
  preloadOnHint(routes)
  if (signedInRole() !== null) prefetchShell()
  setTimeout(() => {
    const router = createRouter()
    setTimeout(() =>
      startTransition(() =>
        createRoot(root).render(
          <StrictMode>
            <Providers>
              <RouterProvider router={router} />
            </Providers>
          </StrictMode>,
        ),
      ),
    )
  })
}

/** Begins to read the data that the shell waits for, while its code is still coming. */
function prefetchShell(): void {
  void queries.prefetchQuery(meQuery())
  void queries.prefetchQuery(companiesQuery())
}
