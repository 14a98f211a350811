import { expect, test, vi } from 'vitest'
import { memoryStorage, SafeStorage } from './stored'

test('what a full storage refuses lasts as long as the page', () => {
  const setItem = () => {
    throw new DOMException('full', 'QuotaExceededError')
  }
  vi.spyOn(console, 'warn').mockReturnValue(undefined)
  const storage = new SafeStorage({ ...memoryStorage(), setItem })
  storage.write('token', 'first')
  storage.write('token', 'second')
  expect(storage.read('token')).toBe('second')
  storage.write('token', null)
  expect(storage.read('token')).toBeNull()
})
