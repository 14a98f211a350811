import { describe, expect, test } from 'vitest'
import { changeOver, describeSeries, finding, lastMonths, monthRange, runningOf, sumOf } from './series'

describe('finding', () => {
  const rows = (...values: (number | null)[]) => values.map((value, index) => ({ month: `2026-0${index + 1}`, value }))
  test('says direction, size and months', () => {
    expect(finding('MRR', rows(1000, 1042), String)).toBe('MRR subiu 4,2% de jan/26 a fev/26')
    expect(finding('MRR', rows(1000, 1500, 900), String)).toBe('MRR caiu 10% de jan/26 a mar/26')
    expect(finding('MRR', rows(1000, 1000), String)).toBe('MRR ficou estável de jan/26 a fev/26')
  })
  test('compares a series that begins with zero from where it left it', () => {
    expect(finding('MRR', rows(0, 50), String)).toBe('MRR saiu de zero em fev/26')
    expect(finding('MRR', rows(0, 50, 100), String)).toBe('MRR saiu de zero em fev/26 e subiu 100% até mar/26')
    expect(finding('Churn', rows(0, 0, 4, 2), String)).toBe('Churn saiu de zero em mar/26 e caiu 50% até abr/26')
    expect(finding('MRR', rows(0, 50, 50), String)).toBe('MRR saiu de zero em fev/26 e ficou estável até mar/26')
    expect(finding('MRR', rows(0, 50, 0), String)).toBe('MRR saiu de zero em fev/26 e caiu 100% até mar/26')
  })
  test('says both values of what more than tripled', () => {
    expect(finding('MRR', rows(50, 18_373), String)).toBe('MRR foi de 50 em jan/26 para 18373 em fev/26')
    expect(finding('MRR', rows(0, 50, 500), String)).toBe('MRR saiu de zero em fev/26 e foi de 50 para 500 até mar/26')
  })
  test('names days by day and month', () => {
    const days = [100, 110].map((value, index) => ({ month: `2026-11-2${index}`, value }))
    expect(finding('MRR', days, String)).toBe('MRR subiu 10% de 20/11 a 21/11')
  })
  test('has words for what cannot be compared', () => {
    expect(finding('MRR', rows(0, 0), String)).toBe('MRR sem movimento de jan/26 a fev/26')
    expect(finding('MRR', rows(50), String)).toBe('MRR em jan/26')
    expect(finding('MRR', [], String)).toBe('MRR: sem dados neste período')
  })
  test('months without a value are left out', () => {
    expect(finding('Churn', rows(null, 2, 1), String)).toBe('Churn caiu 50% de fev/26 a mar/26')
  })
})

test('change needs a first value above zero', () => {
  expect(changeOver([200, 300])).toBe(50)
  expect(changeOver([0, 300])).toBeNull()
  expect(changeOver([200])).toBeNull()
})

test('months are named from the first to the last', () => {
  expect(monthRange([{ month: '2025-12' }, { month: '2026-01' }, { month: '2026-02' }])).toBe('de dez/25 a fev/26')
  expect(monthRange([{ month: '2026-12-01' }])).toBe('em 01/12')
  expect(monthRange([])).toBe('neste período')
})

test('the step that has not ended is of this year', () => {
  const running = (month: string) => runningOf([{ month: '2025-11-10' }, { month }], '2026-11-21')
  expect([running('2026-11-21'), running('2026-11')]).toEqual(['21/11', 'nov/26'])
  expect([running('2025-11-21'), running('2025-11'), running('2026-11-20')]).toEqual([undefined, undefined, undefined])
})

describe('in words', () => {
  test('start, end, lowest and highest are named with their months', () => {
    const rows = [10, 5, 30].map((value, index) => ({ month: `2026-0${index + 1}`, value }))
    expect(describeSeries('MAU', rows, String)).toBe(
      'MAU: de 10 em jan/26 a 30 em mar/26; menor valor 5 em fev/26, maior valor 30 em mar/26.',
    )
    expect(describeSeries('MAU', rows.slice(0, 1), String)).toBe('MAU: 10 em jan/26.')
    expect(describeSeries('MAU', [], String)).toBe('MAU: sem dados neste período.')
  })
  test('a total of reais has no rounding dust', () => {
    expect(sumOf([{ v: 0.1 }, { v: 0.2 }], ({ v }) => v)).toBe(0.3)
  })
})

test('the last months cross the year', () => {
  expect(lastMonths('2026-02', 4)).toEqual(['2026-02', '2026-01', '2025-12', '2025-11'])
})
