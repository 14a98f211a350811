import { expect, test } from 'vitest'
import type { MonthColumn } from '../../../ui/month-table'
import { monthsCsv } from './block'

interface Row {
  month: string
  rate: number | null
}
const columns: MonthColumn<Row>[] = [{ key: 'rate', label: 'Taxa de churn', value: ({ rate }) => rate, format: String }]

test('a block is saved as numbers, oldest first, and what is not defined stays empty', () => {
  const rows = [
    { month: '2026-10', rate: null },
    { month: '2026-11', rate: 2.41 },
  ]
  expect(monthsCsv(rows, columns)).toBe('Mês;Taxa de churn\r\n10/2026;\r\n11/2026;2,41')
})

test('the days of a short period are saved as its charts show them, with their year', () => {
  const rows = [{ month: '2026-11-20', rate: 1 }]
  expect(monthsCsv(rows, columns)).toBe('Dia;Taxa de churn\r\n20/11/2026;1')
})
