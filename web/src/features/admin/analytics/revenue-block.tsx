// "Evolução da receita": MRR as an area, what came and what went as bars.
import type { RevenueRow } from '../../../api/admin'
import { dayOf, formatMonth } from '../../../lib/dates'
import { formatCompactReais, formatReais } from '../../../lib/money'
import { serverNow } from '../../../live/status'
import { Chart, type ChartPoint } from '../../../ui/chart'
import { Block, LastMonths, MonthTable, type MonthColumn } from './block'
import { describeSeries, finding, monthRange, sumOf, valuesOf } from '../series'

const columns: MonthColumn<RevenueRow>[] = [
  { key: 'mrr', label: 'MRR', value: ({ mrr }) => mrr, format: formatReais },
  { key: 'newRevenue', label: 'Nova receita', value: ({ newRevenue }) => newRevenue, format: formatReais },
  {
    key: 'churnedRevenue',
    label: 'Receita perdida',
    value: ({ churnedRevenue }) => churnedRevenue,
    format: formatReais,
  },
]
const [mrrColumn, ...flowColumns] = columns

export function RevenueBlock({ rows }: { rows: readonly RevenueRow[] }) {
  const today = dayOf(serverNow())
  const mrr = valuesOf(rows, ({ mrr }) => mrr)
  const points: ChartPoint[] = rows.map(({ month, ...values }) => ({ label: formatMonth(month), ...values }))
  const gained = formatReais(sumOf(rows, ({ newRevenue }) => newRevenue))
  const lost = formatReais(sumOf(rows, ({ churnedRevenue }) => churnedRevenue))
  const running = formatMonth(today.slice(0, 7))
  return (
    <Block title="Evolução da receita" file={`receita-${today}`} rows={rows} columns={columns}>
      <Chart
        caption={finding('MRR', mrr)}
        description={describeSeries('MRR', mrr, formatReais)}
        points={points}
        running={running}
        series={[{ key: 'mrr', label: 'MRR', kind: 'area', color: 1 }]}
        format={formatReais}
        axisFormat={formatCompactReais}
        table={<MonthTable caption="MRR por mês" rows={rows} columns={mrrColumn ? [mrrColumn] : []} />}
      />
      <Chart
        caption={`Nova receita de ${gained} e receita perdida de ${lost} ${monthRange(rows)}`}
        description={flowColumns
          .map(({ label, value }) => describeSeries(label, valuesOf(rows, value), formatReais))
          .join(' ')}
        points={points}
        running={running}
        series={[
          { key: 'newRevenue', label: 'Nova receita', kind: 'bar', color: 1, marker: 'circle' },
          { key: 'churnedRevenue', label: 'Receita perdida', kind: 'bar', color: 2, marker: 'square', outlined: true },
        ]}
        format={formatReais}
        axisFormat={formatCompactReais}
        table={<MonthTable caption="Nova receita e receita perdida por mês" rows={rows} columns={flowColumns} />}
      />
      <LastMonths label="Últimos três meses de receita" rows={rows} columns={columns} />
    </Block>
  )
}
