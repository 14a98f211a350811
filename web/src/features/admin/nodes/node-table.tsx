// The servers: a table, and cards on phones.
import type { InstalledNode } from '../../../api/admin'
import { relativeTime } from '../../../lib/dates'
import { statusNamed } from '../../../lib/labels'
import { formatNumber } from '../../../lib/numbers'
import { Badge, StatusBadge } from '../../../ui/badge'
import { DataTable, type Column } from '../../../ui/data-table'
import { clockText, nodeStatuses, queuesText, shortId } from './words'

export function NodeTable({ nodes, now }: { nodes: readonly InstalledNode[]; now: number }) {
  return <DataTable caption="Nós da instalação" columns={columns(now)} rows={nodes} rowKey={({ id }) => id} />
}

function columns(now: number): Column<InstalledNode>[] {
  const known = (node: InstalledNode, value: (state: NonNullable<InstalledNode['state']>) => string) =>
    node.state ? value(node.state) : '—'
  return [
    { key: 'node', label: 'Nó', cell: (node) => <Name node={node} /> },
    {
      key: 'status',
      label: 'Situação',
      narrow: true,
      cell: ({ status }) => <StatusBadge {...statusNamed(nodeStatuses, status)} />,
    },
    { key: 'version', label: 'Versão', narrow: true, cell: (node) => known(node, ({ version }) => version) },
    {
      key: 'since',
      label: 'Iniciado',
      narrow: true,
      cell: (node) => known(node, ({ since }) => relativeTime(since, now)),
    },
    {
      key: 'sockets',
      label: 'Conexões',
      numeric: true,
      cell: (node) => known(node, ({ sockets }) => formatNumber(sockets, 0)),
    },
    {
      key: 'channels',
      label: 'Canais',
      numeric: true,
      cell: (node) => known(node, ({ channels }) => formatNumber(channels, 0)),
    },
    {
      key: 'queues',
      label: 'Filas',
      cell: (node) => <span className="max-sm:text-right">{known(node, ({ queues }) => queuesText(queues))}</span>,
    },
  ]
}

function Name({ node }: { node: InstalledNode }) {
  const { id, own, status, silentSeconds, clockAheadSeconds, state } = node
  const clock = clockText(clockAheadSeconds)
  const notes = [state && `Esquema ${state.schema}`, status === 'silent' && `há ${silentSeconds} s`].filter(Boolean)
  return (
    <span className="grid justify-items-start gap-0.5 max-sm:justify-items-end">
      <span className="flex flex-wrap items-center gap-2">
        <span className="font-mono" title={id}>
          {shortId(id)}
        </span>
        {own && <Badge tone="info">Este nó</Badge>}
      </span>
      {notes.length > 0 && <span className="text-label text-muted">{notes.join(' · ')}</span>}
      {clock && <StatusBadge label={clock} tone="warning" />}
    </span>
  )
}
