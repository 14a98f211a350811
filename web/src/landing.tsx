// The entry of the landing page: wakes up the markup that the build wrote, or renders it where there is none
// (the development server). It needs neither the router nor the query cache. What is below the first words wakes up when
// its own code has come; where that fails, its markup stays as it is and can be read.
import './app/boot'
import { lazy, StrictMode, type ComponentType } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { paths } from './lib/paths'
import { LandingPage } from './features/landing/landing'
import { watchTheme } from './ui/theme'
import './main.css'

watchTheme()

type Parts = typeof import('./features/landing/below-the-fold')

function part<P>(of: (parts: Parts) => ComponentType<P>) {
  return lazy(() =>
    import('./features/landing/below-the-fold').then(
      (parts) => ({ default: of(parts) }),
      (error: unknown) => {
        console.warn('landing', error)
        return new Promise<never>(() => undefined)
      },
    ),
  )
}

const Below = part(({ BelowTheFold }) => BelowTheFold)
const Footer = part(({ LandingFooter }) => LandingFooter)

const root = document.getElementById('root')
if (root === null) throw new Error('landing.html has no #root')
const page = (
  <StrictMode>
    <LandingPage Below={Below} Footer={Footer} />
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
