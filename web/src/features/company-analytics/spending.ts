// The figures of "Análises" as its charts take them: decimal reais, by month. Pure.
import type { Spending, SpendingMonth } from '../../api/statement'
import { toReais } from '../../lib/money'

export interface MonthRow {
  month: string
  paid: number
  refunded: number
  failed: number
}

export function monthRows(months: readonly SpendingMonth[]): MonthRow[] {
  return months.map(({ month, paid, refunded, failed }) => ({
    month,
    paid: toReais(paid),
    refunded: toReais(refunded),
    failed,
  }))
}

/** A chart has five colours: the plans after the fourth are one. */
const MOST_PLANS = 5
const OTHERS = 'Outros planos'

export interface PlanRow {
  month: string
  /** In the order of the names. */
  paid: number[]
}

/** What was paid for each plan in each month, and the names of the plans. */
export function planRows({ months, plans }: Pick<Spending, 'months' | 'plans'>): { names: string[]; rows: PlanRow[] } {
  const fits = plans.length <= MOST_PLANS
  const shown = fits ? plans : plans.slice(0, MOST_PLANS - 1)
  const rest = fits ? [] : plans.slice(MOST_PLANS - 1)
  const rows = months.map(({ month }, at) => {
    const paid = shown.map((plan) => toReais(plan.months[at] ?? 0))
    const others = rest.reduce((sum, plan) => sum + (plan.months[at] ?? 0), 0)
    return { month, paid: fits ? paid : [...paid, toReais(others)] }
  })
  const names = shown.map(({ planName }) => planName)
  return { names: fits ? names : [...names, OTHERS], rows }
}
