// The frame of the pages for signed-out visitors and of those that mails lead to: brand, one card of 420 px, legal
// links. The session of who is signed in ends here, too, when it is left alone.
import { Suspense } from 'react'
import { Link, Outlet } from 'react-router'
import { lazyPart } from '../../api/lazy-part'
import { paths } from '../../lib/paths'
import { useSession } from '../../auth/use-session'
import { Brand } from '../../ui/brand'
import { LegalFooter } from '../../ui/legal-footer'
import { SkipLink } from '../../ui/skip-link'

/** Most visitors are signed out and do not need its code. */
const IdleGuard = lazyPart(
  () => import('../../auth/idle-guard'),
  () => null,
)

export function AuthLayout() {
  const isSignedIn = useSession().status === 'authenticated'
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
      {isSignedIn && (
        <Suspense fallback={null}>
          <IdleGuard />
        </Suspense>
      )}
    </div>
  )
}
