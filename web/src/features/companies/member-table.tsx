// The people of a company. Below 640 px a row becomes a labelled card.
import type { Member } from '../../api/companies'
import { byName, companyRoleLabels } from '../../lib/labels'
import { Badge, StatusBadge } from '../../ui/badge'

const cell = 'block py-1 sm:table-cell sm:h-12 sm:py-2 sm:pr-4'
const label = 'mr-2 text-label text-muted sm:hidden'

export function MemberTable({ members }: { members: Member[] }) {
  const rows = members.toSorted((one, other) => byName(one.userName, other.userName))
  return (
    <table className="w-full text-left">
      <caption className="sr-only">Usuários da empresa</caption>
      <thead className="hidden border-b border-line text-label text-muted sm:table-header-group">
        <tr>
          <th scope="col" className="pb-2 font-medium">Nome</th>
          <th scope="col" className="pb-2 font-medium">Email</th>
          <th scope="col" className="pb-2 font-medium">Papel</th>
          <th scope="col" className="pb-2 font-medium">Status</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((member) => (
          <tr key={member.id} className="block border-b border-line py-3 last:border-0 sm:table-row sm:py-0">
            <td className={`${cell} font-medium wrap-anywhere`}>
              <span className={label}>Nome</span>
              {member.userName}
              {member.isCreator && <span className="font-normal text-muted"> · criador</span>}
            </td>
            <td className={`${cell} wrap-anywhere`}>
              <span className={label}>Email</span>
              {member.userEmail}
            </td>
            <td className={cell}>
              <span className={label}>Papel</span>
              <Badge>{companyRoleLabels[member.role]}</Badge>
            </td>
            <td className={cell}>
              <span className={label}>Status</span>
              {member.status === 'active' ? <StatusBadge tone="success">Ativo</StatusBadge> : <StatusBadge tone="neutral">Inativo</StatusBadge>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
