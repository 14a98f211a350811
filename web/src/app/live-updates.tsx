// Mounts the live connection for the signed-in user and the selected company, and shows its news: toasts, a lost
// company, the end of the session.
import { lazy, Suspense, type ComponentType } from 'react'
import { useLocation, useNavigate } from 'react-router'
import type { Company } from '../api/companies'
import { loadUntilThere } from '../api/lazy-part'
import { useCompany } from '../auth/company'
import { session } from '../auth/use-session'
import type { Notice } from '../live/notices'
import { usePolling } from '../live/polling'
import type { LiveProps } from '../live/live-connection'
import { notify, notifyWarning } from '../ui/toast'
import { isCompanyPage, paths } from '../lib/paths'
import { showInTitle } from './title-badge'

/** A chunk that is loaded beside the page's own. A page polls until it is there. */
const LiveConnection = lazy<ComponentType<LiveProps>>(() => loadUntilThere(() => import('../live/live-connection')))

export function LiveUpdates() {
  const { company } = useCompany()
  usePolling()
  return (
    <Suspense fallback={null}>
      <LiveConnection companyId={company?.id} onRevoked={() => void session.endIfRevoked()} onNotice={show} />
    </Suspense>
  )
}

/** A company was taken from the person: its page closes, and a sentence says why. */
export function useLostCompany(): (company: Company, selected: boolean) => void {
  const { pathname } = useLocation()
  const navigate = useNavigate()
  return ({ id, companyName }, selected) => {
    notifyWarning(`Você não tem mais acesso à empresa ${companyName}`, { id: `lost ${id}`, listed: true })
    if (selected && isCompanyPage(pathname)) void navigate(paths.dashboard, { replace: true })
  }
}

function show({ id, tone, text, detail }: Notice): void {
  notify(tone, text, { id, detail, listed: true })
  if (document.visibilityState === 'hidden') showInTitle(text)
}
