// Identifiers: random ones for requests, traces and idempotency keys, and the look of the server's own.
// `crypto.randomUUID` exists only in secure contexts, which `http://192.168...` is not; `getRandomValues` exists
// everywhere.

/** 128 random bits in the UUID layout (version 4). */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes.set([((bytes[6] ?? 0) & 0x0f) | 0x40], 6)
  bytes.set([((bytes[8] ?? 0) & 0x3f) | 0x80], 8)
  const hex = hexOf(bytes)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** Whether the text has the layout of an id of the server. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
}

/** The `traceparent` of W3C Trace Context for a new trace. Whether the trace is recorded is up to the server. */
export function newTraceparent(): string {
  const [trace, span] = [16, 8].map((length) => hexOf(crypto.getRandomValues(new Uint8Array(length))))
  return `00-${trace}-${span}-00`
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
