import { expect, it } from 'vitest'
import file from '../../../core/tests/vectors/devices.json'
import { deviceName } from './device'

it.each(file.cases)('a device has a name: $name', ({ input, expected }) => {
  expect(deviceName(input)).toBe(expected)
})

it('reads every case', () => {
  expect(file.cases).toHaveLength(20)
})
