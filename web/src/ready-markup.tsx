// What the pages hold before any code of theirs runs, as text, for the build: `vite.config.ts` puts it into their HTML.
import { StrictMode } from 'react'
import { renderToStaticMarkup, renderToString } from 'react-dom/server'
import { ShellSkeleton } from './app/shell-skeleton'
import { BelowTheFold, LandingFooter } from './features/landing/below-the-fold'
import { LandingPage } from './features/landing/landing'

/** Whole: its code wakes it up. */
export function landingMarkup(): string {
  return renderToString(
    <StrictMode>
      <LandingPage Below={BelowTheFold} Footer={LandingFooter} />
    </StrictMode>,
  )
}

/** The shape of the app, which the app replaces by the same shape when its code runs. */
export function appMarkup(): string {
  return renderToStaticMarkup(<ShellSkeleton />)
}
