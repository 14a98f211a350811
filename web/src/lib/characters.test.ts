import { expect, test } from 'vitest'
import { countCharacters } from './characters'

test('characters are counted as the server counts them', () => {
  expect(['', 'São', '🚚🚚', 'a🚚'].map((text) => countCharacters(text))).toEqual([0, 3, 2, 2])
})
