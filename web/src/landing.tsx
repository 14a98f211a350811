// The entry of the landing page: wakes up the markup that the build wrote, or renders it where there is none
// (the development server). It needs neither the router nor the query cache.
import './app/boot'
import { StrictMode } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { paths } from './lib/paths'
import { LandingPage } from './features/landing/landing'
import { watchTheme } from './ui/theme'
import './main.css'

watchTheme()

const root = document.getElementById('root')
if (root === null) throw new Error('landing.html has no #root')
const page = (
  <StrictMode>
    <LandingPage />
  </StrictMode>
)
if (root.hasChildNodes()) hydrateRoot(root, page)
else createRoot(root).render(page)

/** The screens that a visitor goes to next; their code is fetched when the link is pointed at or focused. */
const screens: Record<string, () => Promise<unknown>> = {
  [paths.signIn]: () => import('./features/auth/sign-in'),
  [paths.signUp]: () => import('./features/auth/sign-up'),
}

function onHint(event: Event): void {
  const link = event.target instanceof Element ? event.target.closest('a') : null
  // A failed fetch is met again, and shown, by the click itself.
  if (link !== null && link.origin === location.origin) screens[link.pathname]?.().catch(() => undefined)
}
document.addEventListener('pointerover', onHint, { passive: true })
document.addEventListener('focusin', onHint)
