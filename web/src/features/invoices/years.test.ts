import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ApiError } from '../../api/errors'
import { failureOfYear, yearsFrom } from './years'

test.each([
  ['2026-11-21', '2026-11-22', [2026]],
  ['2024-12-31', '2026-01-01', [2026, 2025, 2024]],
  // A clock that was set back.
  ['2027-01-01', '2026-12-31', [2026]],
])('from %s to %s are the years %j', (first, last, years) => {
  expect(yearsFrom(first, last)).toEqual(years)
})

test('a year of too many documents says how many one file holds, and where they are', () => {
  const server = readFileSync(new URL('../../../../core/src/invoice/archive.rs', import.meta.url), 'utf8')
  const [, most = ''] = /MAX_DOCUMENTS: usize = (\d+);/.exec(server) ?? []
  const tooMany = failureOfYear(new ApiError('VALIDATION_ERROR', { fields: { year: 'TOO_LONG' } }))
  expect(tooMany).toBe(`O ano tem mais de ${most} faturas. Exporte o CSV, ou baixe o PDF de cada uma.`)
  const other = new ApiError('NETWORK_ERROR')
  expect(failureOfYear(other)).toBe(other.sentence)
})
