// The state of a company's subscription, in its row and in its sheet.
import type { AdminCompany } from '../../../api/admin'
import { StatusBadge } from '../../../ui/badge'
import { adminSubscriptionStatuses } from '../labels'

export function SubscriptionState({ subscription }: Pick<AdminCompany, 'subscription'>) {
  if (!subscription) return <span className="text-muted">Sem assinatura</span>
  return <StatusBadge {...adminSubscriptionStatuses[subscription.status]} />
}
