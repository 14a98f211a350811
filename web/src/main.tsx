// The entry of the web app.
import './app/boot'
import { startTransition, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { RouterProvider } from 'react-router/dom'
import { Providers } from './app/providers'
import { preloadOnHint } from './app/preload'
import { createRouter, routes } from './app/router'
import { watchTheme } from './ui/theme'
import './main.css'

watchTheme()
preloadOnHint(routes)

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no #root')
// Each step in a task of its own after the one that evaluated the code, and the rendering as a transition, so that the
// browser can breathe on a slow phone.
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
