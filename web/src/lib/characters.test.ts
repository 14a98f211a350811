import { expect, test } from 'vitest'
import { countCharacters, firstCharacters } from './characters'

test('characters are counted as the server counts them', () => {
  expect(['', 'São', '🚚🚚', 'a🚚'].map((text) => countCharacters(text))).toEqual([0, 3, 2, 2])
})

test('no character is cut in half', () => {
  expect(firstCharacters('a🚚b', 2)).toBe('a🚚')
  expect(firstCharacters('a🚚b', 9)).toBe('a🚚b')
})
