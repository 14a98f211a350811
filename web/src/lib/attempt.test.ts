import { expect, test } from 'vitest'
import { attemptFor } from './attempt'

function keys() {
  let made = 0
  return () => `key-${++made}`
}

test('the same request keeps its key', () => {
  const next = keys()
  const first = attemptFor(null, { amount: 9990 }, next)
  expect(attemptFor(first, { amount: 9990 }, next)).toBe(first)
})

test('an edited request gets a new key', () => {
  const next = keys()
  const first = attemptFor(null, { amount: 9990 }, next)
  expect(attemptFor(first, { amount: 8990 }, next).key).toBe('key-2')
})

test('after a definite answer the same request is a new intention', () => {
  const next = keys()
  attemptFor(null, { amount: 9990 }, next)
  expect(attemptFor(null, { amount: 9990 }, next).key).toBe('key-2')
})
