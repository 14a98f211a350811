// A company's members, read-only: its own administrators manage them. A person's account opens among the users.
import { Link } from 'react-router'
import type { AdminCompanyDetail } from '../../../api/admin'
import { adminUserPath } from '../../../lib/paths'
import { companyRoleLabels } from '../../../lib/labels'
import { Address } from '../../../ui/address'
import { Badge } from '../../../ui/badge'

export function CompanyMembers({ members }: Pick<AdminCompanyDetail, 'members'>) {
  return (
    <div className="grid gap-4">
      <p className="text-muted">Os usuários são gerenciados pelos administradores da própria empresa.</p>
      <ul className="divide-y divide-line">
        {members.map(({ userId, userName, userEmail, role, isCreator }) => (
          <li key={userId} className="flex items-center justify-between gap-3 py-2.5 first:pt-0">
            <div className="grid min-w-0 gap-0.5">
              <Link to={adminUserPath(userId)} className="link justify-self-start wrap-anywhere">
                {userName}
              </Link>
              <span className="text-label wrap-anywhere text-muted">
                <Address email={userEmail} />
              </span>
            </div>
            <span className="flex shrink-0 flex-wrap justify-end gap-1.5">
              {isCreator && <Badge tone="info">Criador</Badge>}
              <Badge>{companyRoleLabels[role]}</Badge>
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}
