import { describe, expect, test } from 'vitest'
import file from '../../../core/tests/vectors/pix.json'
import { crc16, payeeOf } from './pix'

interface Case {
  name: string
  input: { op: string; text?: string; payload?: string; name?: string }
  expected: unknown
}
interface Read {
  valid: boolean
  name?: string
}

const cases = file.cases as unknown as Case[]
const of = (op: string) => cases.filter(({ input }) => input.op === op)

describe('pix vectors', () => {
  test('the file is the whole file', () => expect(cases.length).toBeGreaterThanOrEqual(31))
  test.each(of('crc16'))('$name', ({ input, expected }) => expect(crc16(input.text!)).toBe(expected))
  test.each(of('read'))('$name', ({ input, expected }) => {
    const { valid, name } = expected as Read
    expect(payeeOf(input.payload!)).toBe(valid ? name : null)
  })
})

describe('pix', () => {
  const withCrc = (text: string) => `${text}6304${crc16(`${text}6304`)}`

  test('a code without a payee names none', () => {
    expect(payeeOf(withCrc('26180014br.gov.bcb.pix'))).toBeNull()
    expect(payeeOf(withCrc('26180014br.gov.bcb.pix5905MARIA'))).toBe('MARIA')
  })
  test('a code without an account is not Pix', () => {
    expect(payeeOf(withCrc('520400005905MARIA'))).toBeNull()
    expect(payeeOf(withCrc('2603xyz5905MARIA'))).toBeNull()
  })
})
