// What was done by a person or in a company, as the audit keeps it; more on demand.
import { useInfiniteQuery } from '@tanstack/react-query'
import { auditQuery, type AuditAbout, type AuditEntry } from '../../api/admin'
import { formatDateTime } from '../../lib/dates'
import { DataArea } from '../../ui/data-area'
import { LockIcon } from '../../ui/icons'
import { LoadMore } from '../../ui/pager'
import { SkeletonLines } from '../../ui/skeleton'
import { actText, fieldsText, outcomeText } from '../../lib/audit-words'

export function AuditList({ about }: { about: AuditAbout }) {
  const query = useInfiniteQuery(auditQuery(about))
  return (
    <DataArea
      query={query}
      errorTitle="Erro ao carregar auditoria"
      skeleton={<SkeletonLines count={4} />}
      empty={{ icon: LockIcon, text: 'Nenhum registro de auditoria' }}
    >
      {(entries) => (
        <div className="grid gap-3">
          <AuditEntries entries={entries} showsActor={about.actor === undefined} />
          <LoadMore query={query} size="small" className="justify-self-start" />
        </div>
      )}
    </DataArea>
  )
}

function AuditEntries({ entries, showsActor }: { entries: readonly AuditEntry[]; showsActor: boolean }) {
  return (
    <ol className="grid gap-3">
      {entries.map((entry) => (
        <Entry key={entry.id} entry={entry} showsActor={showsActor} />
      ))}
    </ol>
  )
}

function Entry({ entry, showsActor }: { entry: AuditEntry; showsActor: boolean }) {
  const { action, at, outcome, fields, actorName } = entry
  const small = [showsActor && (actorName ?? 'Sistema'), outcomeText(outcome), fieldsText(fields)].filter(Boolean)
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
    </li>
  )
}
