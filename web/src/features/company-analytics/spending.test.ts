import { expect, test } from 'vitest'
import type { Spending } from '../../api/statement'
import { monthRows, planRows } from './spending'

const month = (name: string, paid: number) => ({ month: name, paid, refunded: 990, payments: 1, failed: 2 })
const plan = (planName: string, months: number[]) => ({ planName, months, paid: 0 })

test('months are decimal reais', () => {
  expect(monthRows([month('2026-11', 19_980)])).toEqual([{ month: '2026-11', paid: 199.8, refunded: 9.9, failed: 2 }])
})

test('every plan has its place in every month', () => {
  const spending: Pick<Spending, 'months' | 'plans'> = {
    months: [month('2026-10', 4_990), month('2026-11', 14_980)],
    plans: [plan('Profissional', [0, 9_990]), plan('Essencial', [4_990, 4_990])],
  }
  expect(planRows(spending)).toEqual({
    names: ['Profissional', 'Essencial'],
    rows: [
      { month: '2026-10', paid: [0, 49.9] },
      { month: '2026-11', paid: [99.9, 49.9] },
    ],
  })
})

test('the plans after the fourth are one, and nothing of them is lost', () => {
  const plans = [1, 2, 3, 4, 5, 6].map((number) => plan(`Plano ${number}`, [number * 100]))
  const { names, rows } = planRows({ months: [month('2026-11', 2_100)], plans })
  expect(names).toEqual(['Plano 1', 'Plano 2', 'Plano 3', 'Plano 4', 'Outros planos'])
  expect(rows[0]?.paid).toEqual([1, 2, 3, 4, 11])
  expect(planRows({ months: [month('2026-11', 0)], plans: plans.slice(0, 5) }).names).toHaveLength(5)
})
