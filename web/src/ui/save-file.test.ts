// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest'
import { saveCsv } from './save-file'

test('a file can still be read after the press that saves it, and is let go a minute later', () => {
  vi.useFakeTimers()
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:file')
  const revoke = vi.spyOn(URL, 'revokeObjectURL').mockReturnValue()
  const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockReturnValue()
  saveCsv('faturas.csv', 'a;b')
  expect(click.mock.contexts[0]).toMatchObject({ href: 'blob:file', download: 'faturas.csv' })
  vi.advanceTimersByTime(59_000)
  expect(revoke).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1_000)
  expect(revoke).toHaveBeenCalledWith('blob:file')
})
