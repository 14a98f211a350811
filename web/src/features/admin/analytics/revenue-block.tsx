// "Evolução da receita": MRR as an area, what came and what went as bars.
import type { RevenueRow } from '../../../api/admin'
import { dayOf, formatMonth } from '../../../lib/dates'
import { formatCompactReais } from '../../../lib/decimal'
import { formatReais } from '../../../lib/money'
import { describeSeries, finding, monthRange, runningOf, stepName, sumOf, valuesOf } from '../../../lib/series'
import { serverNow } from '../../../live/server-clock'
import { Chart, type ChartPoint } from '../../../ui/chart'
import { MonthTable, type MonthColumn } from '../../../ui/month-table'
import { Block, LastMonths } from './block'

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

/** `steps`: the months, or the days of a short period. */
export function RevenueBlock({ rows, steps }: { rows: readonly RevenueRow[]; steps: readonly RevenueRow[] }) {
  const today = dayOf(serverNow())
  const mrr = valuesOf(steps, ({ mrr }) => mrr)
  const points: ChartPoint[] = steps.map(({ month, ...values }) => ({ label: formatMonth(month), ...values }))
  const gained = formatReais(sumOf(steps, ({ newRevenue }) => newRevenue))
  const lost = formatReais(sumOf(steps, ({ churnedRevenue }) => churnedRevenue))
  const running = runningOf(steps, today)
  const by = stepName(steps)
  return (
    <Block title="Evolução da receita" file={`receita-${today}`} rows={steps} columns={columns}>
      <Chart
        caption={finding('MRR', mrr, formatReais)}
        description={describeSeries('MRR', mrr, formatReais)}
        points={points}
        running={running}
        series={[{ key: 'mrr', label: 'MRR', kind: 'area', color: 1 }]}
        format={formatReais}
        axisFormat={formatCompactReais}
        table={<MonthTable caption={`MRR por ${by}`} rows={steps} columns={mrrColumn ? [mrrColumn] : []} />}
      />
      <Chart
        caption={`Nova receita de ${gained} e receita perdida de ${lost} ${monthRange(steps)}`}
        description={flowColumns
          .map(({ label, value }) => describeSeries(label, valuesOf(steps, value), formatReais))
          .join(' ')}
        points={points}
        running={running}
        series={[
          { key: 'newRevenue', label: 'Nova receita', kind: 'bar', color: 1, marker: 'circle' },
          { key: 'churnedRevenue', label: 'Receita perdida', kind: 'bar', color: 2, marker: 'square', outlined: true },
        ]}
        format={formatReais}
        axisFormat={formatCompactReais}
        table={<MonthTable caption={`Nova receita e receita perdida por ${by}`} rows={steps} columns={flowColumns} />}
      />
      <LastMonths label="Últimos três meses de receita" rows={rows} columns={columns} />
    </Block>
  )
}
