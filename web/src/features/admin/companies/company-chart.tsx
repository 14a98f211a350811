// The chart of a company's sheet: MRR and what was paid, by month.
import type { AdminCompanyDetail } from '../../../api/admin'
import { dayOf, formatMonth } from '../../../lib/dates'
import { formatCompactReais } from '../../../lib/decimal'
import { formatReais } from '../../../lib/money'
import { describeSeries, finding, valuesOf } from '../../../lib/series'
import { serverNow } from '../../../live/server-clock'
import { Chart } from '../../../ui/chart'
import { MonthTable, type MonthColumn } from '../../../ui/month-table'

type Month = AdminCompanyDetail['months'][number]

const columns: MonthColumn<Month>[] = [
  { key: 'mrr', label: 'MRR', value: ({ mrr }) => mrr, format: formatReais },
  { key: 'revenue', label: 'Receita', value: ({ revenue }) => revenue, format: formatReais },
]

export function CompanyChart({ months, name }: { months: readonly Month[]; name: string }) {
  return (
    <Chart
      caption={finding(
        'MRR',
        valuesOf(months, ({ mrr }) => mrr),
        formatReais,
      )}
      description={columns
        .map(({ label, value }) => describeSeries(label, valuesOf(months, value), formatReais))
        .join(' ')}
      running={formatMonth(dayOf(serverNow()).slice(0, 7))}
      points={months.map(({ month, mrr, revenue }) => ({ label: formatMonth(month), mrr, revenue }))}
      series={[
        { key: 'revenue', label: 'Receita', kind: 'bar', color: 2, marker: 'square' },
        { key: 'mrr', label: 'MRR', kind: 'line', color: 1, marker: 'circle' },
      ]}
      format={formatReais}
      axisFormat={formatCompactReais}
      table={<MonthTable caption={`MRR e receita de ${name} por mês`} rows={months} columns={columns} />}
    />
  )
}
