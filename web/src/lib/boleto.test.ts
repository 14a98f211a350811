import { describe, expect, test } from 'vitest'
import file from '../../../core/tests/vectors/boleto.json'
import { barcodeDigit, dueDateOf, fieldDigit, itfBars, readLine } from './boleto'
import { formatLine } from './boleto-line'

interface Input {
  op: string
  digits?: string
  line?: string
  issuedOn?: string
  fator?: number
}
interface Case {
  name: string
  input: Input
  expected: unknown
}
interface Read {
  valid: boolean
  barcode?: string
  dueDate?: string | null
}
interface Encoded {
  barcode: string
  line: string
  digits: string
}

const cases = file.cases as Case[]
const of = (op: string) => cases.filter(({ input }) => input.op === op)

/** Reads the bars back the way a scanner does: runs of black and white, pairs of digits interleaved. */
function scan({ bars, width }: ReturnType<typeof itfBars>): string {
  const runs: number[] = []
  bars.forEach((bar, index) => {
    const next = bars[index + 1]?.x ?? width
    runs.push(bar.width, next - bar.x - bar.width)
  })
  expect(runs.slice(0, 4)).toEqual([1, 1, 1, 1])
  expect(runs.slice(-4, -1)).toEqual([3, 1, 1])
  const body = runs.slice(4, -4)
  const weights = [1, 2, 4, 7, 0]
  const digit = (widths: number[]) => widths.reduce((sum, w, i) => sum + (w === 3 ? weights[i]! : 0), 0) % 11
  let text = ''
  for (let at = 0; at < body.length; at += 10) {
    const pair = body.slice(at, at + 10)
    text += digit(pair.filter((_, i) => i % 2 === 0)) + String(digit(pair.filter((_, i) => i % 2 === 1)))
  }
  return text
}

describe('boleto vectors', () => {
  test('the file is the whole file', () => expect(cases.length).toBeGreaterThanOrEqual(50))
  test.each(of('fieldDigit'))('$name', ({ input, expected }) => expect(fieldDigit(input.digits!)).toBe(expected))
  test.each(of('barcodeDigit'))('$name', ({ input, expected }) => expect(barcodeDigit(input.digits!)).toBe(expected))
  test.each(of('readLine'))('$name', ({ input, expected }) => {
    const { valid, barcode, dueDate } = expected as Read
    expect(readLine(input.line!, input.issuedOn!)).toEqual(valid ? { barcode, dueDate } : null)
  })
  test.each(of('dueDate'))('$name', ({ input, expected }) =>
    expect(dueDateOf(input.fator!, input.issuedOn!)).toBe(expected),
  )
  test.each(of('encode'))('$name and back', ({ expected }) => {
    const { barcode, line, digits } = expected as Encoded
    expect(formatLine(digits)).toBe(line)
    expect(readLine(line, '2026-11-18')).toMatchObject({ barcode })
  })
})

describe('boleto', () => {
  test('a text that is no line stays as it is', () => expect(formatLine('123')).toBe('123'))
  test('the drawn bars read back as the barcode', () => {
    const barcode = '00193373700000001000500940144816060680935031'
    const drawn = itfBars(barcode)
    expect(scan(drawn)).toBe(barcode)
    expect(drawn.width).toBe(22 * 18 + 4 + 5)
    expect(scan(itfBars('0123456789'))).toBe('0123456789')
  })
  test('no digits, no pairs', () => expect(itfBars('').width).toBe(9))
})
