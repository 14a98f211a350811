import { describe, expect, test } from 'vitest'
import file from '../../../core/tests/vectors/pix.json'
import { crc16, readPix } from './pix'

interface Input {
  op: string
  text?: string
  payload?: string
  amount?: number | null
  name?: string
  txid?: string
}
interface Case {
  name: string
  input: Input
  expected: unknown
}

const cases = file.cases as unknown as Case[]
const of = (op: string) => cases.filter(({ input }) => input.op === op)

describe('pix vectors', () => {
  test('the file is the whole file', () => expect(cases.length).toBeGreaterThanOrEqual(31))
  test.each(of('crc16'))('$name', ({ input, expected }) => expect(crc16(input.text!)).toBe(expected))
  test.each(of('read'))('$name', ({ input, expected }) => expect(readPix(input.payload!)).toEqual(expected))
  test.each(of('build'))('$name reads back', ({ input, expected }) => {
    const { payload } = expected as { payload?: string }
    if (payload === undefined) return
    expect(readPix(payload)).toMatchObject({ valid: true, amount: input.amount, txid: input.txid })
  })
})

describe('pix', () => {
  const withCrc = (text: string) => `${text}6304${crc16(`${text}6304`)}`

  test('a code without payee, place or id still reads', () => {
    expect(readPix(withCrc('26180014br.gov.bcb.pix'))).toEqual({
      valid: true,
      key: null,
      url: null,
      amount: null,
      name: '',
      city: '',
      txid: null,
      initiation: null,
    })
  })
  test('a code without an account is not Pix', () => {
    expect(readPix(withCrc('5204000'.padEnd(8, '0')))).toEqual({ valid: false, reason: 'NOT_PIX' })
    expect(readPix(withCrc('2603xyz'))).toEqual({ valid: false, reason: 'NOT_PIX' })
  })
  test('whole and one-digit amounts are read in centavos', () => {
    expect(readPix(withCrc('26180014br.gov.bcb.pix540212'))).toMatchObject({ amount: 1200 })
    expect(readPix(withCrc('26180014br.gov.bcb.pix54041.5x'))).toMatchObject({ amount: null })
    expect(readPix(withCrc('26180014br.gov.bcb.pix54031.5'))).toMatchObject({ amount: 150 })
  })
})
