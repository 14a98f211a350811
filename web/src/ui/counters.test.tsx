// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { formatMinor } from '../lib/money'
import { Counters, type CounterSpec } from './counters'

/** The room that the figures of the row need, in their size. */
function needOf(counters: CounterSpec[]): number {
  cleanup()
  render(<Counters counters={counters} />)
  const row = screen.getAllByRole('definition')[0]?.closest('dl')
  return Number(row?.style.getPropertyValue('--longest'))
}

test('the longest figure of a row says how large all of them are', () => {
  const refused: CounterSpec = ['Tentativas recusadas', 3]
  const alone = needOf([refused])
  expect(alone).toBeGreaterThan(0)
  expect(needOf([refused, ['Pago', 17_991_00, formatMinor]])).toBeCloseTo(alone * 'R$ 17.991,00'.length)
})

test('of a shortened number a screen reader reads the whole', () => {
  render(<Counters counters={[['Recebido', 12_345_67, () => 'R$ 12,3 mil', formatMinor]]} />)
  const [short, whole] = screen.getByRole('definition').children
  expect(short?.getAttribute('aria-hidden')).toBe('true')
  expect(whole?.textContent).toBe('R$\u00a012.345,67')
})
