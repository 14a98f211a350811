import { expect, test } from 'vitest'
import { yearsFrom } from './years'

test.each([
  ['2026-11-21', '2026-11-22', [2026]],
  ['2024-12-31', '2026-01-01', [2026, 2025, 2024]],
  // A clock that was set back.
  ['2027-01-01', '2026-12-31', [2026]],
])('from %s to %s are the years %j', (first, last, years) => {
  expect(yearsFrom(first, last)).toEqual(years)
})
