// Bun's own server, which is built on uWebSockets: a topic, and the same recovery as the other small peers.
const KEPT = 256
const events = []
let head = 0

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request, server) {
    if (server.upgrade(request)) return
    const text = await request.text()
    head += 1
    events.push([head, text])
    if (events.length > KEPT) events.shift()
    server.publish('all', text)
    return new Response()
  },
  websocket: {
    idleTimeout: 0,
    perMessageDeflate: false,
    open(socket) {
      socket.subscribe('all')
    },
    message(socket, message) {
      const since = Number(String(message).split(' ')[1])
      for (const [seq, text] of since > 0 ? events : []) if (seq > since) socket.send(text)
      socket.send(`{"type":"live","channel":"all","seq":${head}}`)
    },
  },
})

console.log(`listening on http://127.0.0.1:${server.port}`)
