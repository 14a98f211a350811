// PIX copy-and-paste code (BR Code): reads who is paid, so that the payment card can name the payee next to a code that
// is whole; a mangled one is shown without. Format: docs/billing.md, "PIX and boleto", and
// https://github.com/bacen/pix-api.

type PixRefusal = 'MALFORMED' | 'CRC_MISSING' | 'CRC_NOT_LAST' | 'CRC_MISMATCH' | 'NOT_PIX'

interface PixCode {
  valid: true
  key: string | null
  url: string | null
  /** Centavos; null when the payer types the amount. */
  amount: number | null
  name: string
  city: string
  txid: string | null
  /** 11 reusable, 12 one-time. */
  initiation: string | null
}

/** CRC-16/CCITT-FALSE over the UTF-8 bytes, four upper-case hex digits. */
export function crc16(text: string): string {
  let crc = 0xffff
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff
  }
  return crc.toString(16).toUpperCase().padStart(4, '0')
}

/** Fields of a TLV text in order (2-digit id, 2-digit length, value); null when it does not add up. */
function fieldsOf(text: string): [string, string][] | null {
  const fields: [string, string][] = []
  for (let at = 0; at < text.length;) {
    const head = /^(\d{2})(\d{2})/.exec(text.slice(at))
    if (!head) return null
    const length = Number(head[2])
    const value = text.slice(at + 4, at + 4 + length)
    if (value.length !== length) return null
    fields.push([head[1] ?? '', value])
    at += 4 + length
  }
  return fields
}

function centavos(text: string | undefined): number | null {
  const parts = text === undefined ? null : /^(\d+)(?:\.(\d{1,2}))?$/.exec(text)
  return parts ? Number(parts[1]) * 100 + Number((parts[2] ?? '').padEnd(2, '0')) : null
}

/** Reads a code, or says why it is none. */
export function readPix(payload: string): PixCode | { valid: false; reason: PixRefusal } {
  const fields = fieldsOf(payload)
  if (!fields) return { valid: false, reason: 'MALFORMED' }
  const crcAt = fields.findIndex(([id]) => id === '63')
  if (crcAt < 0) return { valid: false, reason: 'CRC_MISSING' }
  if (crcAt !== fields.length - 1) return { valid: false, reason: 'CRC_NOT_LAST' }
  const top = new Map(fields)
  if (crc16(payload.slice(0, -4)) !== top.get('63')?.toUpperCase()) return { valid: false, reason: 'CRC_MISMATCH' }
  const account = new Map(fieldsOf(top.get('26') ?? ''))
  if (account.get('00')?.toLowerCase() !== 'br.gov.bcb.pix') return { valid: false, reason: 'NOT_PIX' }
  return {
    valid: true,
    key: account.get('01') ?? null,
    url: account.get('25') ?? null,
    amount: centavos(top.get('54')),
    name: top.get('59') ?? '',
    city: top.get('60') ?? '',
    txid: new Map(fieldsOf(top.get('62') ?? '')).get('05') ?? null,
    initiation: top.get('01') ?? null,
  }
}
