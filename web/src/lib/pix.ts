// PIX copy-and-paste code (BR Code): reads who is paid, so that the payment card can name the payee next to a code that
// is whole; a mangled one is shown without. Format: docs/billing.md, "PIX and boleto", and
// https://github.com/bacen/pix-api.

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

/** The payee of a whole code; null of a mangled one, and of one that names none. */
export function payeeOf(payload: string): string | null {
  const fields = fieldsOf(payload)
  if (!fields || fields.findIndex(([id]) => id === '63') !== fields.length - 1) return null
  const top = new Map(fields)
  if (crc16(payload.slice(0, -4)) !== top.get('63')?.toUpperCase()) return null
  const account = new Map(fieldsOf(top.get('26') ?? ''))
  return account.get('00')?.toLowerCase() === 'br.gov.bcb.pix' ? (top.get('59') ?? null) : null
}
