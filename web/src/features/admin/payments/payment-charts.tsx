// What the filtered payments add up to by day, by plan and by method: a chart of the days, and two tables.
import type { PaymentFigures, PaymentSums } from '../../../api/admin-payments'
import { methodLabel } from '../../../api/payment-methods'
import { dayOf, formatMonth } from '../../../lib/dates'
import { formatCompactReais, formatCount } from '../../../lib/decimal'
import { formatMinor, formatReais, toReais } from '../../../lib/money'
import { describeSeries, monthRange, runningOf, sumOf, valuesOf } from '../../../lib/series'
import { serverNow } from '../../../live/server-clock'
import { Card, CardHeader } from '../../../ui/card'
import { Chart } from '../../../ui/chart'
import { DataTable, type Column } from '../../../ui/data-table'
import { MonthTable, type MonthColumn } from '../../../ui/month-table'

/** As the shared parts of series take it: their step may be a day. */
type DayRow = PaymentSums & { month: string }

const dayColumns: MonthColumn<DayRow>[] = [
  { key: 'count', label: 'Pagamentos', value: ({ count }) => count, format: formatCount },
  { key: 'paid', label: 'Recebido', value: ({ paid }) => toReais(paid), format: formatReais },
  { key: 'refunded', label: 'Reembolsado', value: ({ refunded }) => toReais(refunded), format: formatReais },
]

export function PaymentCharts({ figures: { days, plans, methods } }: { figures: PaymentFigures }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6 2xl:grid-cols-2">
      <Card className="2xl:col-span-2">
        <CardHeader title="Por dia">
          <p>Cada pagamento conta no dia em que começou, no horário de São Paulo</p>
        </CardHeader>
        <Days rows={days.map(({ day, ...sums }) => ({ month: day, ...sums }))} />
      </Card>
      <Card>
        <CardHeader title="Por plano" />
        <Shares
          caption="Pagamentos por plano"
          label="Plano"
          rows={plans.map(({ planId, planName, ...sums }) => ({ id: planId, name: planName, ...sums }))}
        />
      </Card>
      <Card>
        <CardHeader title="Por forma de pagamento" />
        <Shares
          caption="Pagamentos por forma de pagamento"
          label="Forma de pagamento"
          rows={methods.map(({ method, ...sums }) => ({ id: method, name: methodLabel(method), ...sums }))}
        />
      </Card>
    </div>
  )
}

function Days({ rows }: { rows: readonly DayRow[] }) {
  const money = dayColumns.filter(({ key }) => key !== 'count')
  return (
    <Chart
      caption={receivedText(rows)}
      description={money.map(({ label, value }) => describeSeries(label, valuesOf(rows, value), formatReais)).join(' ')}
      running={runningOf(rows, dayOf(serverNow()))}
      points={rows.map(({ month, paid, refunded }) => ({
        label: formatMonth(month),
        paid: toReais(paid),
        refunded: toReais(refunded),
      }))}
      series={[
        { key: 'paid', label: 'Recebido', kind: 'bar', color: 1, marker: 'circle' },
        { key: 'refunded', label: 'Reembolsado', kind: 'line', color: 2, marker: 'square' },
      ]}
      format={formatReais}
      axisFormat={formatCompactReais}
      table={<MonthTable caption="Pagamentos por dia" rows={rows} columns={dayColumns} />}
    />
  )
}

/** "R$ 4.210,30 recebidos de 26/10 a 24/11": a day says nothing about another one, and today has not ended. */
export function receivedText(rows: readonly (Pick<PaymentSums, 'paid'> & { month: string })[]): string {
  const received = sumOf(rows, ({ paid }) => toReais(paid))
  return `${received === 0 ? 'Nada recebido' : `${formatReais(received)} recebidos`} ${monthRange(rows)}`
}

interface Share extends PaymentSums {
  id: string
  name: string
}

function Shares({ caption, label, rows }: { caption: string; label: string; rows: readonly Share[] }) {
  if (rows.length === 0) return <p className="py-6 text-center text-muted">Sem dados neste período</p>
  const columns: Column<Share>[] = [
    { key: 'name', label, cell: ({ name }) => name },
    { key: 'succeeded', label: 'Aprovados', numeric: true, cell: approvedText },
    { key: 'paid', label: 'Recebido', numeric: true, cell: ({ paid }) => formatMinor(paid) },
    { key: 'refunded', label: 'Reembolsado', numeric: true, cell: ({ refunded }) => formatMinor(refunded) },
  ]
  return <DataTable caption={caption} columns={columns} rows={rows} rowKey={({ id }) => id} />
}

/** "8 de 10". */
export function approvedText({ count, succeeded }: Pick<PaymentSums, 'count' | 'succeeded'>): string {
  return `${formatCount(succeeded)} de ${formatCount(count)}`
}
