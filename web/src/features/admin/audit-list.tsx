// What was done by a person, to a person or in a company, as the audit keeps it; more on demand.
import { Link } from 'react-router'
import { useInfiniteQuery } from '@tanstack/react-query'
import { auditQuery, type AuditFilter, type AuditEntry } from '../../api/admin'
import { actText, fieldsText, outcomeText } from '../../api/audit-words'
import { formatDateTime } from '../../lib/dates'
import { isId } from '../../lib/ids'
import { adminCompanyPath, adminPaymentPath, adminPlanPath, adminUserPath } from '../../lib/paths'
import { DataArea } from '../../ui/data-area'
import { LogIcon } from '../../ui/icons'
import { LoadMore } from '../../ui/pager'
import { SkeletonLines } from '../../ui/skeleton'

export function AuditList({ about }: { about: AuditFilter }) {
  const query = useInfiniteQuery(auditQuery(about))
  return (
    <DataArea
      query={query}
      errorTitle="Erro ao carregar auditoria"
      skeleton={<SkeletonLines count={4} />}
      empty={{ icon: LogIcon, text: 'Nenhum registro de auditoria' }}
    >
      {(entries) => (
        <div className="grid gap-3">
          <ol role="list" className="grid gap-3">
            {entries.map((entry) => (
              <Entry key={entry.id} entry={entry} about={about} />
            ))}
          </ol>
          <LoadMore query={query} size="small" className="justify-self-start" />
        </div>
      )}
    </DataArea>
  )
}

interface EntryProps {
  entry: AuditEntry
  /** What all entries have in common is not said of each. */
  about: AuditFilter
}

function Entry({ entry, about }: EntryProps) {
  const { action, at, outcome, fields, actorName } = entry
  const actor = about.actor === undefined && (actorName ?? 'Sistema')
  const small = [actor, outcomeText(outcome), fieldsText(fields)].filter(Boolean)
  const links = linksOf(entry, about)
  return (
    <li className="grid gap-0.5">
      <span className="flex flex-wrap items-baseline justify-between gap-x-3">
        <span className="wrap-anywhere" title={action}>
          {actText(action)}
        </span>
        <time dateTime={at} className="text-caption text-muted tabular-nums">
          {formatDateTime(at)}
        </time>
      </span>
      {small.length > 0 && <span className="text-label wrap-anywhere text-muted">{small.join(' · ')}</span>}
      {links.length > 0 && (
        <span className="flex flex-wrap gap-x-3 text-label">
          {links.map(([to, text]) => (
            <Link key={to} to={to} className="link wrap-anywhere">
              {text}
            </Link>
          ))}
        </span>
      )}
    </li>
  )
}

/** The company of the act, and whom or what it was about, where that has a page. */
function linksOf(
  { action, target, companyId, companyName }: AuditEntry,
  about: AuditFilter,
): [to: string, text: string][] {
  const links: [string, string][] = []
  if (companyId && companyName && companyId !== about.company) links.push([adminCompanyPath(companyId), companyName])
  if (!target || !isId(target) || target === about.actor || target === about.target) return links
  const [noun] = action.split('.')
  if (noun === 'payment') links.push([adminPaymentPath(target), 'Ver pagamento'])
  if (noun === 'plan') links.push([adminPlanPath(target), 'Ver plano'])
  if (isAboutPerson(action)) links.push([adminUserPath(target), 'Ver pessoa'])
  return links
}

/** Beside those of users and members: the target of these acts is a person. */
const actsOnPeople = new Set<AuditEntry['action']>([
  'admin.create',
  'audit.read',
  'company.inherit',
  'second_factor.reset',
])

/** Whether the target of the act is a person who has a page: an erased one has none. */
function isAboutPerson(action: AuditEntry['action']): boolean {
  if (action.startsWith('user.erase')) return false
  return /^(user|member)\./.test(action) || actsOnPeople.has(action)
}
