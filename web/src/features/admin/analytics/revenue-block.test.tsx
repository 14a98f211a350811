// @vitest-environment happy-dom
import { fireEvent, render, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { RevenueBlock } from './revenue-block'

const saved: string[] = []
vi.mock('../../../ui/save-file', () => ({ saveCsv: (_: string, text: string) => saved.push(text) }))

test('the file of a short period has the days that its charts show', () => {
  const row = (month: string, mrr: number) => ({ month, mrr, newRevenue: 0, churnedRevenue: 0 })
  const days = [row('2026-11-20', 99.9), row('2026-11-21', 149.8)]
  render(<RevenueBlock rows={[row('2026-10', 49.9), row('2026-11', 149.8)]} steps={days} />)
  fireEvent.click(screen.getByRole('button', { name: 'Exportar CSV: Evolução da receita' }))
  expect(saved[0]?.split('\r\n').slice(1)).toEqual(['20/11/2026;99,9;0;0', '21/11/2026;149,8;0;0'])
})
