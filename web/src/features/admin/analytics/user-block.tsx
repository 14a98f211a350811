// "Métricas de usuários": active people, new people and MAU by month.
import type { UserRow } from '../../../api/admin'
import { dayOf, formatMonth } from '../../../lib/dates'
import { serverNow } from '../../../live/status'
import { Chart, type ChartPoint, type ChartSeries } from '../../../ui/chart'
import { Block, LastMonths, MonthTable, type MonthColumn } from './block'
import { formatMetric, shortMetric } from '../metrics'
import { describeSeries, finding, valuesOf } from '../series'

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

export function UserBlock({ rows }: { rows: readonly UserRow[] }) {
  const points: ChartPoint[] = rows.map(({ month, ...values }) => ({ label: formatMonth(month), ...values }))
  return (
    <Block title="Métricas de usuários" file={`usuarios-${dayOf(serverNow())}`} rows={rows} columns={columns}>
      <Chart
        caption={finding(
          'MAU',
          valuesOf(rows, ({ mau }) => mau),
        )}
        description={columns.map(({ label, value }) => describeSeries(label, valuesOf(rows, value), count)).join(' ')}
        points={points}
        running={formatMonth(dayOf(serverNow()).slice(0, 7))}
        series={series}
        format={count}
        axisFormat={(value) => shortMetric('count', value)}
        table={<MonthTable caption="Usuários por mês" rows={rows} columns={columns} />}
      />
      <LastMonths label="Últimos três meses de usuários" rows={rows} columns={columns} />
    </Block>
  )
}
