// A client from 127.0.0.2, so that its address is not the proxy's: calls and a live socket over TLS.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:https'
import { connect } from 'node:tls'

export const ADDRESS = '127.0.0.2'

/** What every client claims about itself, and no proxy may believe. */
const SPOOFED = '6.6.6.6'

/** Of one proxy: `call` and `live`. */
export function clientOf(port, ca) {
  const where = { host: '127.0.0.1', port, ca, localAddress: ADDRESS }
  return {
    async call(method, path, { body, token, raw } = {}) {
      const payload = raw ?? (body && JSON.stringify(body))
      const headers = {
        'x-forwarded-for': SPOOFED,
        ...(body && { 'content-type': 'application/json' }),
        ...(payload && { 'content-length': Buffer.byteLength(payload) }),
        ...(token && { authorization: `Bearer ${token}` }),
      }
      const asked = request({ ...where, agent: false, method, path, headers })
      asked.end(payload)
      const [answer] = await once(asked, 'response')
      const text = (await answer.toArray()).join('')
      return { status: answer.statusCode, headers: answer.headers, text, data: () => JSON.parse(text).data }
    },
    live: (hello) => openLive(where, hello),
  }
}

/** A live socket that has said hello. It answers pings; `until(type)` gives the frames up to the next of that type. */
async function openLive(where, hello) {
  const socket = connect(where)
  await once(socket, 'secureConnect')
  const head = [
    'GET /api/live HTTP/1.1',
    'Host: 127.0.0.1',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
    'Sec-WebSocket-Protocol: rt.v1',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  const frames = []
  let buffer = Buffer.alloc(0)
  let upgraded = false
  let wake = () => undefined
  let ended = false
  const send = (frame) => socket.write(maskedText(JSON.stringify(frame)))
  socket.on('data', (bytes) => {
    buffer = Buffer.concat([buffer, bytes])
    if (!upgraded) {
      const end = buffer.indexOf('\r\n\r\n')
      if (end < 0) return
      const status = buffer.subarray(0, end).toString().split('\r\n', 1)[0]
      assert.match(status, / 101 /, 'the socket is refused')
      buffer = buffer.subarray(end + 4)
      upgraded = true
      send({ type: 'hello', id: 1, ...hello })
    }
    for (let taken = takeFrame(buffer); taken; taken = takeFrame(buffer)) {
      buffer = taken.rest
      if (taken.opcode !== 1) continue
      const heard = [JSON.parse(taken.payload.toString())].flat()
      for (const frame of heard) if (frame.type === 'ping') send({ type: 'pong', n: frame.n })
      frames.push(...heard)
    }
    wake()
  })
  socket.on('close', () => {
    ended = true
    wake()
  })
  socket.on('error', () => undefined)
  return {
    async until(type, matches = () => true) {
      for (;;) {
        const at = frames.findIndex((frame) => frame.type === type && matches(frame))
        if (at >= 0) return frames.splice(0, at + 1)
        assert.ok(!ended, `the socket ended before ${type}`)
        await new Promise((resolve) => (wake = resolve))
      }
    },
    close: () => socket.destroy(),
  }
}

/** A text of a client, up to 64 KiB. */
function maskedText(text) {
  const payload = Buffer.from(text)
  const mask = randomBytes(4)
  const head =
    payload.length < 126 ? [0x81, 0x80 | payload.length] : [0x81, 0xfe, payload.length >> 8, payload.length & 255]
  return Buffer.concat([Buffer.from(head), mask, payload.map((byte, at) => byte ^ mask[at % 4])])
}

/** The first whole frame of a server, which masks nothing. */
function takeFrame(buffer) {
  if (buffer.length < 2) return null
  const short = buffer[1] & 0x7f
  const start = short === 126 ? 4 : 2
  assert.notEqual(short, 127, 'no frame is that long')
  if (buffer.length < start) return null
  const length = short === 126 ? buffer.readUInt16BE(2) : short
  if (buffer.length < start + length) return null
  return {
    opcode: buffer[0] & 0x0f,
    payload: buffer.subarray(start, start + length),
    rest: buffer.subarray(start + length),
  }
}
