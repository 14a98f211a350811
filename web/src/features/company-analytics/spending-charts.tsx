// The charts of "Análises", each with the same figures as a table.
import type { ReactNode } from 'react'
import { methodLabel } from '../../api/payment-methods'
import { reasonOf } from '../../api/payment-reasons'
import type { Spending } from '../../api/statement'
import { dayOf, formatMonth } from '../../lib/dates'
import { formatCompactReais, formatCount } from '../../lib/decimal'
import { counted } from '../../lib/labels'
import { formatMinor, formatReais, toReais } from '../../lib/money'
import { describeSeries, monthRange, runningOf, sumOf, valuesOf } from '../../lib/series'
import { serverNow } from '../../live/server-clock'
import { Card, CardHeader } from '../../ui/card'
import { Chart, type ChartSeries } from '../../ui/chart'
import { DataTable, type Column } from '../../ui/data-table'
import { MonthTable, type MonthColumn } from '../../ui/month-table'
import { monthRows, planRows, type MonthRow, type PlanRow } from './spending'

const money = { format: formatReais, axisFormat: formatCompactReais }

export function SpendingCharts({ spending }: { spending: Spending }) {
  const running = runningOf(spending.months, dayOf(serverNow()))
  const rows = monthRows(spending.months)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
      <Section title="Gasto por mês">
        <MonthChart rows={rows} running={running} />
      </Section>
      <Section title="Gasto por plano">
        <PlanChart spending={spending} running={running} />
      </Section>
      <Section title="Formas de pagamento">
        <MethodChart methods={spending.methods} />
      </Section>
      <Section title="Tentativas recusadas">
        <FailureChart rows={rows} running={running} />
        {spending.failures.length > 0 && (
          <DataTable
            caption="Motivos das recusas"
            columns={reasonColumns}
            rows={spending.failures}
            rowKey={({ reason }) => reason}
          />
        )}
      </Section>
    </div>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card>
      <CardHeader title={title} />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-6">{children}</div>
    </Card>
  )
}

interface MonthsProps {
  rows: readonly MonthRow[]
  running: string | undefined
}

const moneyColumns: MonthColumn<MonthRow>[] = [
  { key: 'paid', label: 'Pago', value: ({ paid }) => paid, format: formatReais },
  { key: 'refunded', label: 'Reembolsado', value: ({ refunded }) => refunded, format: formatReais },
]

function MonthChart({ rows, running }: MonthsProps) {
  const paid = formatReais(sumOf(rows, ({ paid }) => paid))
  return (
    <Chart
      caption={`${paid} pagos ${monthRange(rows)}`}
      description={moneyColumns
        .map(({ label, value }) => describeSeries(label, valuesOf(rows, value), formatReais))
        .join(' ')}
      points={rows.map(({ month, paid, refunded }) => ({ label: formatMonth(month), paid, refunded }))}
      running={running}
      series={[
        { key: 'paid', label: 'Pago', kind: 'bar', color: 1, marker: 'circle' },
        { key: 'refunded', label: 'Reembolsado', kind: 'bar', color: 2, marker: 'square', outlined: true },
      ]}
      {...money}
      table={<MonthTable caption="Gasto por mês" rows={rows} columns={moneyColumns} />}
    />
  )
}

const looks: Pick<ChartSeries, 'color' | 'marker' | 'outlined'>[] = [
  { color: 1, marker: 'circle' },
  { color: 2, marker: 'square', outlined: true },
  { color: 3, marker: 'triangle' },
  { color: 4, marker: 'circle', outlined: true },
  { color: 5, marker: 'square' },
]

function PlanChart({ spending, running }: { spending: Spending; running: string | undefined }) {
  const { names, rows } = planRows(spending)
  const columns = names.map((name, at): MonthColumn<PlanRow> => ({
    key: `plan${at}`,
    label: name,
    value: ({ paid }) => paid[at] ?? 0,
    format: formatReais,
  }))
  const [first] = spending.plans
  return (
    <Chart
      caption={first ? `${first.planName}: ${formatMinor(first.paid)} ${monthRange(rows)}` : 'Nenhum plano pago'}
      description={columns
        .map(({ label, value }) => describeSeries(label, valuesOf(rows, value), formatReais))
        .join(' ')}
      points={rows.map(({ month, paid }) => ({
        label: formatMonth(month),
        ...Object.fromEntries(paid.map((value, at) => [`plan${at}`, value])),
      }))}
      running={running}
      series={columns.map(({ key, label }, at) => ({ key, label, kind: 'bar', color: 1, ...looks[at] }))}
      {...money}
      table={<MonthTable caption="Gasto por plano e mês" rows={rows} columns={columns} />}
    />
  )
}

const methodColumns: Column<Spending['methods'][number]>[] = [
  { key: 'method', label: 'Forma de pagamento', cell: ({ method }) => methodLabel(method) },
  { key: 'payments', label: 'Pagamentos', numeric: true, cell: ({ payments }) => formatCount(payments) },
  { key: 'paid', label: 'Pago', numeric: true, cell: ({ paid }) => formatMinor(paid) },
]

function MethodChart({ methods }: Pick<Spending, 'methods'>) {
  const [first] = methods
  const texts = methods.map(
    ({ method, paid, payments }) =>
      `${methodLabel(method)}: ${formatMinor(paid)} em ${counted(payments, 'pagamento', 'pagamentos', 'nenhum')}.`,
  )
  return (
    <Chart
      caption={first ? `Maior valor: ${methodLabel(first.method)}, ${formatMinor(first.paid)}` : 'Nenhum pagamento'}
      description={texts.join(' ')}
      points={methods.map(({ method, paid }) => ({ label: methodLabel(method), paid: toReais(paid) }))}
      series={[{ key: 'paid', label: 'Pago', kind: 'bar', color: 1 }]}
      {...money}
      table={
        <DataTable
          caption="Formas de pagamento"
          columns={methodColumns}
          rows={methods}
          rowKey={({ method }) => method}
        />
      }
    />
  )
}

const failedColumns: MonthColumn<MonthRow>[] = [
  { key: 'failed', label: 'Tentativas recusadas', value: ({ failed }) => failed, format: formatCount },
]

const reasonColumns: Column<Spending['failures'][number]>[] = [
  { key: 'reason', label: 'Motivo', cell: ({ reason }) => reasonOf({ failureCode: reason }) },
  { key: 'attempts', label: 'Tentativas', numeric: true, cell: ({ attempts }) => formatCount(attempts) },
]

function FailureChart({ rows, running }: MonthsProps) {
  const failed = rows.reduce((sum, row) => sum + row.failed, 0)
  return (
    <Chart
      caption={`${counted(failed, 'tentativa recusada', 'tentativas recusadas', 'Nenhuma')} ${monthRange(rows)}`}
      description={describeSeries(
        'Tentativas recusadas',
        valuesOf(rows, ({ failed }) => failed),
        formatCount,
      )}
      points={rows.map(({ month, failed }) => ({ label: formatMonth(month), failed }))}
      running={running}
      series={[{ key: 'failed', label: 'Tentativas recusadas', kind: 'bar', color: 2 }]}
      format={formatCount}
      axisFormat={formatCount}
      table={<MonthTable caption="Tentativas recusadas por mês" rows={rows} columns={failedColumns} />}
    />
  )
}
