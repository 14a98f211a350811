// Where to go from the dashboard; what does not exist yet is marked and is no link.
import { Link } from 'react-router'
import { paths } from '../../app/paths'
import { SoonBadge } from '../../ui/badge'
import { AnalyticsIcon, CompanyIcon, DeliveryIcon, PaymentIcon, PlanIcon, type Icon } from '../../ui/icons'

interface Action {
  label: string
  icon: Icon
  /** Absent: the area comes later. */
  to?: string
}

const actions: Action[] = [
  { label: 'Ver Planos', icon: PlanIcon, to: paths.plans },
  { label: 'Gerenciar Empresa', icon: CompanyIcon, to: paths.companyManage },
  { label: 'Pagamentos', icon: PaymentIcon, to: paths.payments },
  { label: 'Entregas', icon: DeliveryIcon },
  { label: 'Relatórios', icon: AnalyticsIcon },
]

const box = 'flex min-h-14 items-center gap-3 rounded-control border px-4 py-3 [&_svg]:size-5 [&_svg]:shrink-0'

export function QuickActions() {
  return (
    <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
      {actions.map(({ label, icon: Glyph, to }) => (
        <li key={label}>
          {to ? (
            <Link to={to} className={`${box} border-line font-medium hover:bg-sunken`}>
              <Glyph className="text-primary" strokeWidth={1.75} aria-hidden="true" />
              {label}
            </Link>
          ) : (
            <span className={`${box} border-line text-muted`}>
              <Glyph strokeWidth={1.75} aria-hidden="true" />
              <span className="flex-1">{label}</span>
              <SoonBadge />
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}
