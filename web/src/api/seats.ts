// How many people a company may have, and how many it has.
import { formatCount } from '../lib/decimal'
import { counted } from '../lib/labels'
import { UNLIMITED } from '../lib/plans'
import type { CompanyDetail } from './companies'

/** Members and open invites, as the server counts. */
export function seatsOf({ users, invites }: Pick<CompanyDetail, 'users' | 'invites'>): number {
  return users.length + invites.length
}

/** "2 de 20 usuários, contando 1 convite": an open invite takes a place, as the server counts. */
export function seatsText(company: CompanyDetail): string {
  const { invites, maxUsers } = company
  const taken = seatsOf(company)
  if (maxUsers === UNLIMITED) return counted(taken, 'usuário', 'usuários', 'Nenhum')
  const open = invites.length > 0 ? `, contando ${counted(invites.length, 'convite', 'convites', 'nenhum')}` : ''
  return `${formatCount(taken)} de ${counted(maxUsers, 'usuário', 'usuários', '0')}${open}`
}
