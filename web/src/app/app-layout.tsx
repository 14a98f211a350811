// The signed-in shell: sidebar (rail on tablets, sheet on phones), sticky header, content. The selected company
// and everything that depends on it lives below.
import { startTransition, useCallback, useState, type ComponentType } from 'react'
import { Outlet } from 'react-router'
import { CompanyProvider } from '../auth/company'
import IdleGuard from '../auth/idle-guard'
import { IconButton } from '../ui/icon-button'
import { MenuIcon } from '../ui/icons'
import { HeaderSlotContext } from '../ui/page'
import { Sheet } from '../ui/sheet'
import { SkipLink } from '../ui/skip-link'
import { TooltipProvider } from '../ui/tooltip'
import { NO_SIDEBAR, useMedia } from '../ui/use-media'
import { PaymentHost } from '../features/payments/payment-host'
import { ConnectionBadge } from '../live/connection-badge'
import { CompanyBanner } from './company-banner'
import { aside, column, frame, header, main } from './frame'
import { Keyboard } from './keyboard'
import { LiveUpdates, useLostCompany } from './live-updates'
import { NewVersionBanner } from './new-version-banner'
import { NotificationBell } from './notification-bell'
import { OfflineBanner } from './offline-banner'
import { Sidebar, type SidebarProps } from './sidebar'
import { SubscriptionBanner } from './subscription-banner'
import { UserMenu } from './user-menu'

/** The defaults are about the selected company; the admin area brings its own. */
interface AppLayoutProps {
  sidebar?: ComponentType<SidebarProps>
  /** What the area has to say above every page. */
  banner?: ComponentType
  /** What it asks for below every page. */
  foot?: ComponentType | null
}

export function AppLayout({
  sidebar: Nav = Sidebar,
  banner: Banner = CompanyBanner,
  foot: Foot = SubscriptionBanner,
}: AppLayoutProps) {
  const [menuOpen, setMenuOpen] = useState(false)
  const phone = useMedia(NO_SIDEBAR)
  // A screen that was turned shows the sidebar itself.
  if (menuOpen && !phone) setMenuOpen(false)
  const [slot, setSlot] = useState<HTMLElement | null>(null)
  // The page comes in a transition, rendered in pieces: by itself what a ref sets is rendered at one go with the shell.
  const slotRef = useCallback((element: HTMLElement | null) => startTransition(() => setSlot(element)), [])
  const onLost = useLostCompany()
  return (
    <CompanyProvider onLost={onLost}>
      <TooltipProvider>
        <SkipLink />
        <div className={frame}>
          <aside className={aside}>
            {/* Hidden on a phone, which has better things to do at first than to make it. */}
            {!phone && <Nav rail />}
          </aside>
          <div className={column}>
            <header className={header}>
              <span className="-ml-2 md:hidden">
                <IconButton label="Abrir menu" onClick={() => setMenuOpen(true)}>
                  <MenuIcon />
                </IconButton>
              </span>
              <div ref={slotRef} className="min-w-0 flex-1 enlarged:order-first enlarged:basis-full" />
              <ConnectionBadge />
              <Keyboard />
              <NotificationBell />
              <UserMenu />
            </header>
            <OfflineBanner />
            <NewVersionBanner />
            <Banner />
            <main id="content" tabIndex={-1} className={main}>
              <HeaderSlotContext value={slot}>{slot && <Outlet />}</HeaderSlotContext>
            </main>
            {Foot && <Foot />}
          </div>
        </div>
        {menuOpen && (
          <Sheet onClose={() => setMenuOpen(false)} title="Menu" isMenu>
            <Nav onNavigate={() => setMenuOpen(false)} />
          </Sheet>
        )}
        <IdleGuard />
        <LiveUpdates />
        <PaymentHost />
      </TooltipProvider>
    </CompanyProvider>
  )
}
