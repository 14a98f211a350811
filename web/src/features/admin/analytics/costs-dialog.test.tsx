// @vitest-environment happy-dom
import { act, fireEvent, screen } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { emptyCache } from '../../../../test/cache'
import { renderWith } from '../../../../test/render'
import { acquisitionCostsQuery } from '../../../api/admin'
import { api } from '../../../api/client'
import CostsDialog from './costs-dialog'

beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-11-21T15:00:00Z') }))

function show() {
  const queries = emptyCache()
  queries.setQueryData(acquisitionCostsQuery().queryKey, [])
  renderWith(queries, <CostsDialog onClose={() => undefined} />)
}

test('an amount above what the server takes is named before it is sent', async () => {
  const post = vi.spyOn(api, 'POST')
  show()
  fireEvent.change(screen.getByLabelText(/^Valor/), { target: { value: '1.000.000,00' } })
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Salvar' })))
  await act(() => vi.advanceTimersByTimeAsync(100))
  screen.getByText(/^O máximo é R\$\s999\.999,99$/)
  expect(post).not.toHaveBeenCalled()
})

test('the spend of every month of a year can be entered, and of the year before it', () => {
  show()
  const months = Array.from(screen.getByLabelText<HTMLSelectElement>('Mês').options, ({ value }) => value)
  // "1 ano" begins on 21/11/2025, and the year before it on 21/11/2024.
  expect([months[0], months[12], months.at(-1)]).toEqual(['2026-11', '2025-11', '2024-11'])
})
