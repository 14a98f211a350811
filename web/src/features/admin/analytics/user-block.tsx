// "Métricas de usuários": active people, new people and MAU by month.
import type { UserRow } from '../../../api/admin'
import { dayOf, formatMonth } from '../../../lib/dates'
import { describeSeries, finding, runningOf, stepName, valuesOf } from '../../../lib/series'
import { serverNow } from '../../../live/server-clock'
import { Chart, type ChartPoint, type ChartSeries } from '../../../ui/chart'
import { MonthTable, type MonthColumn } from '../../../ui/month-table'
import { Block, LastMonths } from './block'
import { formatMetric, shortMetric } from '../metrics'

const count = (value: number) => formatMetric('count', value)

const columns: MonthColumn<UserRow>[] = [
  { key: 'mau', label: 'MAU', value: ({ mau }) => mau, format: count },
  { key: 'newUsers', label: 'Novos usuários', value: ({ newUsers }) => newUsers, format: count },
  { key: 'activeUsers', label: 'Usuários ativos', value: ({ activeUsers }) => activeUsers, format: count },
]
const series: ChartSeries[] = [
  { key: 'mau', label: 'MAU', kind: 'line', color: 1, marker: 'circle' },
  { key: 'newUsers', label: 'Novos usuários', kind: 'line', color: 2, marker: 'triangle', dashed: true },
  { key: 'activeUsers', label: 'Usuários ativos', kind: 'line', color: 3, marker: 'square' },
]

/** `steps`: the months, or the days of a short period. */
export function UserBlock({ rows, steps }: { rows: readonly UserRow[]; steps: readonly UserRow[] }) {
  const points: ChartPoint[] = steps.map(({ month, ...values }) => ({ label: formatMonth(month), ...values }))
  return (
    <Block title="Métricas de usuários" file={`usuarios-${dayOf(serverNow())}`} rows={steps} columns={columns}>
      <Chart
        caption={finding(
          'MAU',
          valuesOf(steps, ({ mau }) => mau),
          count,
        )}
        description={columns.map(({ label, value }) => describeSeries(label, valuesOf(steps, value), count)).join(' ')}
        points={points}
        running={runningOf(steps, dayOf(serverNow()))}
        series={series}
        format={count}
        axisFormat={(value) => shortMetric('count', value)}
        table={<MonthTable caption={`Usuários por ${stepName(steps)}`} rows={steps} columns={columns} />}
      />
      <LastMonths label="Últimos três meses de usuários" rows={rows} columns={columns} />
    </Block>
  )
}
