// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { emptyCache } from '../../../../test/cache'
import { renderWith } from '../../../../test/render'
import { acquisitionCostsQuery } from '../../../api/admin'
import CostsDialog from './costs-dialog'

beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-11-21T15:00:00Z') }))
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

test('the spend of every month of a year can be entered, and of the year before it', () => {
  const queries = emptyCache()
  queries.setQueryData(acquisitionCostsQuery().queryKey, [])
  renderWith(queries, <CostsDialog onClose={() => undefined} />)
  const months = Array.from(screen.getByLabelText<HTMLSelectElement>('Mês').options, ({ value }) => value)
  // "1 ano" begins on 21/11/2025, and the year before it on 21/11/2024.
  expect([months[0], months[12], months.at(-1)]).toEqual(['2026-11', '2025-11', '2024-11'])
})
