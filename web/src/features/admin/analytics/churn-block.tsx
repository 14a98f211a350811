// "Churn por mês": a table, because each month's rate is judged by itself.
import type { ChurnRow } from '../../../api/admin'
import { dayOf } from '../../../lib/dates'
import { runningOf } from '../../../lib/series'
import { serverNow } from '../../../live/server-clock'
import { StatusBadge } from '../../../ui/badge'
import { MonthTable, type MonthColumn } from '../../../ui/month-table'
import { Block } from './block'
import { churnTone, formatMetric } from '../metrics'
import { NoValue } from '../no-value'

const count = (value: number) => formatMetric('count', value)

const columns: MonthColumn<ChurnRow>[] = [
  {
    key: 'churnRate',
    label: 'Taxa de churn',
    value: ({ churnRate }) => churnRate ?? null,
    format: (value) => formatMetric('percent', value),
    cell: ({ churnRate }) => <Rate percent={churnRate ?? null} />,
  },
  {
    key: 'canceledSubscriptions',
    label: 'Assinaturas canceladas',
    value: ({ canceledSubscriptions }) => canceledSubscriptions,
    format: count,
  },
  {
    key: 'totalSubscriptions',
    label: 'Total de assinaturas',
    value: ({ totalSubscriptions }) => totalSubscriptions,
    format: count,
  },
]

export function ChurnBlock({ rows }: { rows: readonly ChurnRow[] }) {
  const today = dayOf(serverNow())
  const running = runningOf(rows, today)
  return (
    <Block title="Churn por mês" file={`churn-${today}`} rows={rows} columns={columns}>
      {rows.length === 0 ? (
        <p className="py-10 text-center text-muted">Sem dados neste período</p>
      ) : (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
          <MonthTable caption="Churn por mês" rows={rows} columns={columns} />
          {/* Its rate is low because most of it is still to come. */}
          {running && <p className="text-caption text-muted">Parcial: {running} ainda não terminou.</p>}
        </div>
      )}
    </Block>
  )
}

function Rate({ percent }: { percent: number | null }) {
  if (percent === null) return <NoValue of="Taxa de churn" reason="Nenhuma empresa pagante no início do mês" />
  return <StatusBadge tone={churnTone(percent)} label={formatMetric('percent', percent)} />
}
