// The frame of the pages for signed-out visitors: brand, one card of 420 px, legal links.
import { Link, Outlet } from 'react-router'
import { paths } from '../../lib/paths'
import { Brand } from '../../ui/brand'
import { LegalFooter } from '../../ui/legal-footer'
import { SkipLink } from '../../ui/skip-link'

export function AuthLayout() {
  return (
    <div className="grid min-h-dvh grid-rows-[auto_1fr_auto]">
      <SkipLink />
      <header className="flex justify-center px-4 pt-8 pb-2 sm:pt-12">
        <Link reloadDocument to={paths.landing} aria-label="Bipe, página inicial" className="rounded-control">
          <Brand size={36} />
        </Link>
      </header>
      <main id="content" tabIndex={-1} className="mx-auto w-full max-w-[452px] px-4 py-6">
        <Outlet />
      </main>
      <LegalFooter className="justify-center px-4 pt-4 pb-8 text-muted" />
    </div>
  )
}
