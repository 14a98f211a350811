// The first steps of a company's creator, and which of them are done. Pure.
import type { CompanyDetail } from '../../api/companies'
import type { Subscription } from '../../api/subscriptions'

export interface FirstStep {
  name: 'company' | 'plan' | 'team'
  label: string
  isDone: boolean
}

/** A plan counts once it has begun, also after it has ended; people count once they are asked. */
export function firstSteps(
  { users, invites }: Pick<CompanyDetail, 'users' | 'invites'>,
  subscription: Pick<Subscription, 'status'> | null,
): FirstStep[] {
  const hasBegun = subscription !== null && subscription.status !== 'pending'
  return [
    { name: 'company', label: 'Criar a empresa', isDone: true },
    { name: 'plan', label: 'Assinar um plano', isDone: hasBegun },
    { name: 'team', label: 'Chamar a equipe', isDone: users.length + invites.length > 1 },
  ]
}
