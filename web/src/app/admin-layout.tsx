// The platform admin's area: who may enter, and its sidebar around the same shell. `GET /auth/me` decides, never what
// this browser has stored. The area closes when the person loses the role.
import { Suspense, useDeferredValue, useEffect, useEffectEvent, useState, type ReactNode } from 'react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { meKey, meQuery } from '../api/auth'
import { lazyPart } from '../api/lazy-part'
import { FailedArea } from '../ui/data-area'
import {
  AdminIcon,
  AnalyticsIcon,
  BackIcon,
  BusyIcon,
  CompanyIcon,
  NodeIcon,
  PaymentIcon,
  PlanIcon,
  UsersIcon,
} from '../ui/icons'
import { usePageTitle } from '../ui/page'
import { useAnnounceFailure } from '../ui/use-announce-failure'
import { NodesBanner } from '../features/admin/nodes/nodes-banner'
import { isFailure } from '../lib/failure'
import { AppLayout } from './app-layout'
import { paths } from '../lib/paths'
import { focusNewPage } from './new-page-focus'
import { SidebarFrame, type NavItem, type SidebarProps } from './sidebar'

export const adminItems: NavItem[] = [
  { label: 'Voltar ao Dashboard', icon: BackIcon, to: paths.dashboard },
  { label: 'Admin Dashboard', icon: AdminIcon, to: paths.adminDashboard },
  { label: 'Gerenciar Planos', icon: PlanIcon, to: paths.adminPlans },
  { label: 'Analytics', icon: AnalyticsIcon, to: paths.adminAnalytics },
  { label: 'Usuários', icon: UsersIcon, to: paths.adminUsers },
  { label: 'Empresas', icon: CompanyIcon, to: paths.adminCompanies },
  { label: 'Pagamentos', icon: PaymentIcon, to: paths.adminPayments },
  { label: 'Nós', icon: NodeIcon, to: paths.adminNodes },
]

function AdminSidebar(props: SidebarProps) {
  return <SidebarFrame items={adminItems} label="Painel Admin" {...props} />
}

/** What is said in the place of a page's code that has not arrived. */
const inFrame = (_: unknown, notice: ReactNode, title: string) => (
  <main className={frame}>
    <h1 tabIndex={-1}>{title}</h1>
    {notice}
  </main>
)
const AccessDenied = lazyPart(() => import('../features/admin/access-denied'), inFrame)
const SecondFactorRequired = lazyPart(() => import('../features/admin/second-factor-required'), inFrame)
const SecondFactorCard = lazyPart(() => import('../features/account/second-factor/second-factor-card'))

const FAILED = 'Não foi possível verificar suas permissões'

export function AdminLayout() {
  const me = useQuery(meQuery())
  // Deferred: the whole area is rendered in pieces, not at one go with the answer.
  const person = useDeferredValue(me.data)
  const [lacksFactor, setLacksFactor] = useState(false)
  useRoleCheckOnRefusal(() => setLacksFactor(true))
  // The button that opened the area is gone, and its page is not there yet.
  useEffect(() => (lacksFactor ? () => void focusNewPage() : undefined), [lacksFactor])
  const isRead = me.data !== undefined
  useAnnounceFailure(FAILED, !isRead && !me.isPending, isRead)
  if (person?.userRole === 'admin' && !lacksFactor) {
    return <AppLayout sidebar={AdminSidebar} banner={NodesBanner} foot={null} />
  }
  if (person) {
    return (
      <Suspense fallback={<Checking />}>
        {person.userRole === 'admin' ? (
          <SecondFactorRequired card={SecondFactorCard} onEnabled={() => setLacksFactor(false)} />
        ) : (
          <AccessDenied />
        )}
      </Suspense>
    )
  }
  if (me.error) return <CheckFailed error={me.error} busy={me.isFetching} onRetry={me.refetch} />
  return <Checking />
}

/**
 * A refused call means that the role may be gone, or that a second factor is missing: ask again instead of showing an
 * area that answers nothing.
 */
function useRoleCheckOnRefusal(onFactorNeeded: () => void): void {
  const queries = useQueryClient()
  const tellNeeded = useEffectEvent(onFactorNeeded)
  useEffect(
    () =>
      queries.getQueryCache().subscribe((event) => {
        if (event.type !== 'updated' || event.action.type !== 'error' || event.query.queryKey[0] === meKey[0]) return
        const { error } = event.action
        if (isFailure(error) && error.code === 'SECOND_FACTOR_REQUIRED') tellNeeded()
        if (isFailure(error) && error.code === 'FORBIDDEN') void queries.invalidateQueries({ queryKey: meKey })
      }),
    [queries],
  )
}

const frame = 'mx-auto grid min-h-dvh max-w-[560px] content-center justify-items-center gap-4 px-4 py-8 text-center'

function Checking() {
  usePageTitle('Painel Admin')
  return (
    <main className={frame} aria-busy="true">
      <BusyIcon className="size-8 animate-spin text-primary" strokeWidth={1.5} />
      <h1 tabIndex={-1} className="text-h3">
        Verificando permissões...
      </h1>
    </main>
  )
}

function CheckFailed(props: { error: Error; busy: boolean; onRetry: () => unknown }) {
  usePageTitle('Painel Admin')
  return (
    <main className={frame}>
      <h1 tabIndex={-1} className="sr-only">
        Painel Admin
      </h1>
      <FailedArea title={FAILED} {...props} />
    </main>
  )
}
