// The npm package `ws`: every socket reads everything; `since N` is answered by what it missed and `live`.
import { createServer } from 'node:http'
import { WebSocket, WebSocketServer } from 'ws'

const KEPT = 256
const events = []
let head = 0

const server = createServer(async (request, response) => {
  let text = ''
  for await (const part of request) text += part
  head += 1
  events.push([head, text])
  if (events.length > KEPT) events.shift()
  for (const socket of sockets.clients) {
    if (socket.readyState === WebSocket.OPEN) socket.send(text)
  }
  response.end()
})

const sockets = new WebSocketServer({ server, perMessageDeflate: false })
sockets.on('connection', (socket) => {
  socket.on('error', () => socket.terminate())
  socket.on('message', (message) => {
    const since = Number(String(message).split(' ')[1])
    for (const [seq, text] of since > 0 ? events : []) if (seq > since) socket.send(text)
    socket.send(`{"type":"live","channel":"all","seq":${head}}`)
  })
})

server.listen(0, '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${server.address().port}`))
