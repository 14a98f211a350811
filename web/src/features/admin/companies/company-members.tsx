// A company's members and open invitations, read-only: its own administrators manage them. A person's account opens
// among the users.
import { Link } from 'react-router'
import type { AdminCompanyDetail } from '../../../api/admin'
import { formatDateTime } from '../../../lib/dates'
import { adminUserPath } from '../../../lib/paths'
import { companyRoleLabels } from '../../../lib/labels'
import { Address } from '../../../ui/address'
import { Badge } from '../../../ui/badge'
import { SheetSection } from '../record-sheet'

const row = 'flex items-center justify-between gap-3 py-2.5 first:pt-0'

interface CompanyMembersProps {
  company: Pick<AdminCompanyDetail, 'members' | 'invites'>
}

/** A server of an older build does not send `invites`. */
export function CompanyMembers({ company: { members, invites = [] } }: CompanyMembersProps) {
  return (
    <div className="grid gap-6">
      <div className="grid gap-4">
        <p className="text-muted">Os usuários são gerenciados pelos administradores da própria empresa.</p>
        <ul role="list" className="divide-y divide-line">
          {members.map(({ userId, userName, userEmail, role, isCreator }) => (
            <li key={userId} className={row}>
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
      <SheetSection title="Convites pendentes">
        {invites.length === 0 ? (
          <p className="text-muted">Nenhum convite pendente</p>
        ) : (
          <ul role="list" className="divide-y divide-line">
            {invites.map(({ id, userEmail, role, expiresAt }) => (
              <li key={id} className={row}>
                <div className="grid min-w-0 gap-0.5">
                  <span className="wrap-anywhere">
                    <Address email={userEmail} />
                  </span>
                  <span className="text-label text-muted tabular-nums">Expira em {formatDateTime(expiresAt)}</span>
                </div>
                <Badge>{companyRoleLabels[role]}</Badge>
              </li>
            ))}
          </ul>
        )}
      </SheetSection>
    </div>
  )
}
