import { expect, test, vi } from 'vitest'
import { madeOnce } from './made-once'

test('a value is made at the first call, and once', () => {
  const make = vi.fn(() => ({}))
  const value = madeOnce(make)
  expect(make).not.toHaveBeenCalled()
  expect(value()).toBe(value())
  expect(make).toHaveBeenCalledTimes(1)
})

test('loading the code of words and numbers makes no formatter', async () => {
  vi.resetModules()
  const made = (['NumberFormat', 'DateTimeFormat', 'Collator', 'PluralRules'] as const).map((name) =>
    vi.spyOn(Intl, name),
  )
  await Promise.all([
    import('./dates'),
    import('./labels'),
    import('./money'),
    import('./numbers'),
    import('./percent'),
  ])
  for (const constructor of made) expect(constructor).not.toHaveBeenCalled()
})
