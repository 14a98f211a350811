// The navigation of the signed-in area. As a rail (tablets) only icons are visible; the names stay for
// assistive technology and as tooltips. Areas that do not exist yet are text, not links.
import type { ReactNode } from 'react'
import { NavLink } from 'react-router'
import { useCompany } from '../auth/company'
import { useUser } from '../auth/use-session'
import { SoonBadge } from '../ui/badge'
import { BrandRow } from '../ui/brand'
import { cx } from '../ui/cx'
import {
  AdminIcon,
  AnalyticsIcon,
  BalanceIcon,
  CatalogIcon,
  CompanyIcon,
  HomeIcon,
  InvoiceIcon,
  OrdersIcon,
  PaymentIcon,
  PlanIcon,
  SubscriptionIcon,
  TransactionsIcon,
  UsersIcon,
  type Icon,
} from '../ui/icons'
import { CompanySelector } from './company-selector'
import { paths } from '../lib/paths'
import { mayOpen } from './may-open'

export interface NavItem {
  label: string
  icon: Icon
  /** Absent: the area comes later. */
  to?: string
}

const items: NavItem[] = [
  { label: 'Home', icon: HomeIcon, to: paths.dashboard },
  { label: 'Planos', icon: PlanIcon, to: paths.plans },
  { label: 'Saldos', icon: BalanceIcon, to: paths.balances },
  { label: 'Transações', icon: TransactionsIcon, to: paths.transactions },
  { label: 'Clientes', icon: UsersIcon },
  { label: 'Catálogo de Produtos', icon: CatalogIcon },
  { label: 'Assinaturas', icon: SubscriptionIcon, to: paths.subscriptions },
  { label: 'Pagamentos', icon: PaymentIcon, to: paths.payments },
  { label: 'Faturas', icon: InvoiceIcon, to: paths.invoices },
  { label: 'Análises', icon: AnalyticsIcon, to: paths.analytics },
  { label: 'Gestão de Pedidos', icon: OrdersIcon },
]

const companyItem: NavItem = { label: 'Gerenciar Empresa', icon: CompanyIcon, to: paths.companyManage }

const adminItem: NavItem = { label: 'Painel Admin', icon: AdminIcon, to: paths.admin }

const row = 'flex min-h-10 items-center gap-3 rounded-control px-3 py-2 text-body [&_svg]:size-5 [&_svg]:shrink-0'

export interface SidebarProps {
  rail?: boolean
  onNavigate?: () => void
}

export function Sidebar({ rail = false, onNavigate }: SidebarProps) {
  const isAdmin = useUser().userRole === 'admin'
  const { company } = useCompany()
  const shown = items.filter(({ to }) => !to || mayOpen(to, company))
  return (
    <SidebarFrame
      rail={rail}
      onNavigate={onNavigate}
      items={[...shown, ...(company ? [companyItem] : []), ...(isAdmin ? [adminItem] : [])]}
      top={
        <div className={cx('px-3 pb-2', rail && 'md:max-lg:px-2')}>
          <CompanySelector rail={rail} onNavigate={onNavigate} />
        </div>
      }
    />
  )
}

interface SidebarFrameProps extends SidebarProps {
  items: readonly NavItem[]
  label?: string
  /** Between the brand and the items. */
  top?: ReactNode
}

/** Brand and items: the signed-in area's sidebar and the platform admin's. */
export function SidebarFrame({ items, label: name = 'Principal', top, rail = false, onNavigate }: SidebarFrameProps) {
  const label = rail ? 'md:max-lg:sr-only' : ''
  const line = cx(row, rail && 'md:max-lg:justify-center md:max-lg:px-0')
  return (
    <div className="flex h-full flex-col">
      <BrandRow rail={rail} />
      {top}
      <nav aria-label={name} className={cx('min-h-0 flex-1 overflow-y-auto px-3 py-2', rail && 'md:max-lg:px-2')}>
        <ul className="grid gap-0.5">
          {items.map((item) => (
            <li key={item.label} title={rail ? item.label : undefined}>
              {item.to ? (
                <NavLink
                  to={item.to}
                  onClick={onNavigate}
                  className={({ isActive }) =>
                    cx(line, isActive ? 'bg-soft font-medium text-on-soft' : 'hover:bg-sunken')
                  }
                >
                  <item.icon />
                  <span className={label}>{item.label}</span>
                </NavLink>
              ) : (
                <span className={cx(line, 'text-muted')}>
                  <item.icon />
                  <span className={cx('flex-1', label)}>{item.label}</span>
                  <span className={label}>
                    <SoonBadge />
                  </span>
                </span>
              )}
            </li>
          ))}
        </ul>
      </nav>
    </div>
  )
}
