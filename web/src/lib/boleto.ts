// Boleto: digitable line (47) to and from barcode (44), its check digits and due date, and the bars of its Interleaved
// 2 of 5 barcode. Pure; used by the boleto card. Layout: FEBRABAN; rules: docs/billing.md, "PIX and boleto".

interface Boleto {
  barcode: string
  /** YYYY-MM-DD; null where the line names none. */
  dueDate: string | null
}

const DAY_MS = 86_400_000
/** Day 0 of the factor. */
const FATOR_EPOCH = Date.UTC(1997, 9, 7)
/** After 9999 (2025-02-21) the factor starts again at 1000. */
const FATOR_CYCLE = 9000

/** Check digit of a field of the line: mod 10, weights 2 1 from the right, digits of the products summed. */
export function fieldDigit(digits: string): number {
  let sum = 0
  for (let place = 0; place < digits.length; place += 1) {
    const product = Number(digits[digits.length - 1 - place]) * (place % 2 === 0 ? 2 : 1)
    sum += product > 9 ? product - 9 : product
  }
  return (10 - (sum % 10)) % 10
}

/** Check digit over the other 43 digits of the barcode: mod 11, weights 2 to 9 from the right; 0, 10, 11 read 1. */
export function barcodeDigit(digits: string): number {
  let sum = 0
  for (let place = 0; place < digits.length; place += 1) {
    sum += Number(digits[digits.length - 1 - place]) * (2 + (place % 8))
  }
  const digit = 11 - (sum % 11)
  return digit >= 10 ? 1 : digit
}

/** Due date of a factor: of the 9000-day cycles the date nearest to the day of issue. */
export function dueDateOf(fator: number, issuedOn: string): string | null {
  if (fator === 0) return null
  const issued = Date.parse(`${issuedOn}T00:00:00Z`)
  const first = FATOR_EPOCH + fator * DAY_MS
  const cycles = fator < 1000 ? 0 : Math.max(0, Math.round((issued - first) / (FATOR_CYCLE * DAY_MS)))
  return new Date(first + cycles * FATOR_CYCLE * DAY_MS).toISOString().slice(0, 10)
}

/** Reads a digitable line; null when a check digit is wrong, or it is none. */
export function readLine(text: string, issuedOn: string): Boleto | null {
  const line = text.replace(/[\s.]/g, '')
  if (!/^\d{47}$/.test(line)) return null
  const fields = [line.slice(0, 10), line.slice(10, 21), line.slice(21, 32)]
  if (fields.some((field) => fieldDigit(field.slice(0, -1)) !== Number(field.slice(-1)))) return null
  const free = line.slice(4, 9) + line.slice(10, 20) + line.slice(21, 31)
  const head = line.slice(0, 4)
  const tail = line.slice(33) + free
  if (barcodeDigit(head + tail) !== Number(line[32])) return null
  return { barcode: head + line[32] + tail, dueDate: dueDateOf(Number(line.slice(33, 37)), issuedOn) }
}

/** Widths of a digit in Interleaved 2 of 5: two wide ones (1) of five. */
const ITF_DIGITS = ['00110', '10001', '01001', '11000', '00101', '10100', '01100', '00011', '10010', '01010']
const ITF_WIDE = 3

export interface Bar {
  x: number
  width: number
}

/** Black bars in modules (narrow = 1, wide = 3), from x = 0, without the quiet zone; `width` is the whole symbol's. */
export function itfBars(digits: string): { bars: Bar[]; width: number } {
  const pairs = digits.match(/\d{2}/g) ?? []
  const widths = pairs.flatMap((pair) => {
    const [black = '', white = ''] = [...pair].map((digit) => ITF_DIGITS[Number(digit)])
    return [...black].flatMap((bit, index) => [bit, white[index]].map((wide) => (wide === '1' ? ITF_WIDE : 1)))
  })
  const bars: Bar[] = []
  let x = 0
  // Start: four narrow. Stop: wide bar, narrow space, narrow bar. Even positions are bars, odd ones spaces.
  ;[1, 1, 1, 1, ...widths, ITF_WIDE, 1, 1].forEach((width, index) => {
    if (index % 2 === 0) bars.push({ x, width })
    x += width
  })
  return { bars, width: x }
}
