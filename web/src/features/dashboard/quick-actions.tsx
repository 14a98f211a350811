// Where to go from the dashboard. Inviting is for the company's administrators.
import type { Company } from '../../api/companies'
import { addUserPath, paths } from '../../lib/paths'
import { ActionTiles, type ActionTile } from '../../ui/action-tiles'
import { AnalyticsIcon, CompanyIcon, DeliveryIcon, PaymentIcon, PlanIcon, UsersIcon } from '../../ui/icons'

const invite: ActionTile = { label: 'Convidar Usuário', icon: UsersIcon, to: addUserPath }

export function QuickActions({ company }: { company: Company }) {
  const invites = company.userRole === 'admin' && company.status !== 'suspended'
  return (
    <ActionTiles
      actions={[
        { label: 'Ver Planos', icon: PlanIcon, to: paths.plans },
        { label: 'Gerenciar Empresa', icon: CompanyIcon, to: paths.companyManage },
        ...(invites ? [invite] : []),
        { label: 'Pagamentos', icon: PaymentIcon, to: paths.payments },
        { label: 'Entregas', icon: DeliveryIcon },
        { label: 'Relatórios', icon: AnalyticsIcon },
      ]}
    />
  )
}
