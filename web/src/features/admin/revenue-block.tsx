// "Evolução da receita": MRR as an area, what came and what went as bars.
import type { RevenueRow } from '../../api/admin'
import { dayOf, formatMonth } from '../../lib/dates'
import { formatCompactReais, formatReais } from '../../lib/money'
import { serverNow } from '../../live/status'
import { Chart, type ChartPoint } from '../../ui/chart'
import { Block, LastMonths, MonthTable, type MonthColumn } from './block'
import { describeSeries, finding, splitRunning, sumOf } from './series'

const columns: MonthColumn<RevenueRow>[] = [
  { key: 'mrr', label: 'MRR', value: ({ mrr }) => mrr, format: formatReais },
  { key: 'newRevenue', label: 'Nova receita', value: ({ newRevenue }) => newRevenue, format: formatReais },
  { key: 'churnedRevenue', label: 'Receita perdida', value: ({ churnedRevenue }) => churnedRevenue, format: formatReais },
]
const [mrrColumn, ...flowColumns] = columns

export function RevenueBlock({ rows }: { rows: readonly RevenueRow[] }) {
  const today = dayOf(serverNow())
  const mrr = rows.map(({ month, mrr }) => ({ month, value: mrr }))
  const split = splitRunning(rows, ({ mrr }) => mrr, today.slice(0, 7))
  const areas: ChartPoint[] = rows.map(({ month }, index) => ({ label: formatMonth(month), closed: split[index]?.closed ?? null, open: split[index]?.open ?? null }))
  const bars: ChartPoint[] = rows.map(({ month, newRevenue, churnedRevenue }) => ({ label: formatMonth(month), newRevenue, churnedRevenue }))
  return (
    <Block title="Evolução da receita" file={`receita-${today}`} rows={rows} columns={columns}>
      <Chart
        caption={finding('MRR', mrr)}
        description={describeSeries('MRR', mrr, formatReais)}
        points={areas}
        series={[
          { key: 'closed', label: 'MRR', kind: 'area', color: 1 },
          { key: 'open', label: 'MRR (mês em andamento)', kind: 'area', color: 1, dashed: true, unlisted: true },
        ]}
        format={formatReais}
        axisFormat={formatCompactReais}
        table={<MonthTable caption="MRR por mês" rows={rows} columns={mrrColumn ? [mrrColumn] : []} />}
      />
      <Chart
        caption={`Nova receita de ${formatReais(sumOf(rows, ({ newRevenue }) => newRevenue))} e receita perdida de ${formatReais(sumOf(rows, ({ churnedRevenue }) => churnedRevenue))} no período`}
        description={[
          describeSeries(
            'Nova receita',
            rows.map(({ month, newRevenue }) => ({ month, value: newRevenue })),
            formatReais,
          ),
          describeSeries(
            'Receita perdida',
            rows.map(({ month, churnedRevenue }) => ({ month, value: churnedRevenue })),
            formatReais,
          ),
        ].join(' ')}
        points={bars}
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
