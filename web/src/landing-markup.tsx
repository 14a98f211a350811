// The landing page as text, for the build: `vite.config.ts` puts it into `landing.html`.
import { StrictMode } from 'react'
import { renderToString } from 'react-dom/server'
import { BelowTheFold, LandingFooter } from './features/landing/below-the-fold'
import { LandingPage } from './features/landing/landing'

export function landingMarkup(): string {
  return renderToString(
    <StrictMode>
      <LandingPage Below={BelowTheFold} Footer={LandingFooter} />
    </StrictMode>,
  )
}
