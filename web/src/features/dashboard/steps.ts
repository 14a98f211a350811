// The first steps of a company's creator, and which of them are done. Pure.
import type { CompanyDetail } from '../../api/companies'
import type { Subscription } from '../../api/subscriptions'

export interface FirstStep {
  name: 'company' | 'plan' | 'team'
  label: string
  isDone: boolean
}

/** A plan counts once it runs, people once they are asked. */
export function firstSteps(
  { users, invites }: Pick<CompanyDetail, 'users' | 'invites'>,
  subscription: Pick<Subscription, 'status'> | null,
): FirstStep[] {
  const runs = subscription !== null && subscription.status !== 'pending' && subscription.status !== 'expired'
  return [
    { name: 'company', label: 'Criar a empresa', isDone: true },
    { name: 'plan', label: 'Assinar um plano', isDone: runs },
    { name: 'team', label: 'Chamar a equipe', isDone: users.length + invites.length > 1 },
  ]
}
