// socket.io with its own recovery of connections: room, ring and private ids are the library's.
import { createServer } from 'node:http'
import { Server } from 'socket.io'

const server = createServer(async (request, response) => {
  let text = ''
  for await (const part of request) text += part
  sockets.emit('event', JSON.parse(text))
  response.end()
})

const sockets = new Server(server, {
  transports: ['websocket'],
  serveClient: false,
  connectionStateRecovery: { maxDisconnectionDuration: 120_000 },
})

server.listen(0, '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${server.address().port}`))
