// The same read and the same payment write as Bipe's on fastify and pg.
//
// A read is a signed token, the live session and the member's role, then the prepared statements that read a
// subscription, all in one transaction that sees that company alone. The plain read is what many would write instead:
// no session, and a connection that serves one company for ever, which no server with two companies could do.
// A payment is all the statements that Bipe runs for one, without the provider's part.
import jwt from '@fastify/jwt'
import Fastify from 'fastify'
import { Pool } from 'pg'

const { STATEMENTS, COMPANY, PERSON, SOCKET, PORT } = process.env
const names = new Map()
/** What has values is prepared, under one name for the same text. */
const prepared = ([text, values]) => {
  if (values === null) return { text }
  if (!names.has(text)) names.set(text, `statement${names.size}`)
  return { name: names.get(text), text, values }
}
const statements = JSON.parse(STATEMENTS).map(prepared)
const payments = []
const scope = "SELECT set_config('bipe.company_id', $1, true), set_config('bipe.user_id', $2, true)"
const proof =
  'SELECT m.role FROM sessions s JOIN users u ON u.id = s.user_id JOIN members m ON m.user_id = u.id ' +
  "WHERE s.id = $1 AND u.id = $2 AND m.company_id = $3 AND s.revoked_at IS NULL AND u.status = 'active'"
const role = 'SELECT role FROM members WHERE company_id = $1 AND user_id = $2'
const connections = (options) =>
  new Pool({ host: SOCKET, port: Number(PORT), user: 'bipe_owner', database: 'bipe', max: 12, options })
const pool = connections('-c role=bipe_app')
const plain = connections(`-c role=bipe_app -c bipe.company_id=${COMPANY}`)

/** With a connection of the pool. */
const using = async (from, work) => {
  const client = await from.connect()
  try {
    return await work(client)
  } finally {
    client.release()
  }
}
const all = async (client) => {
  const found = []
  for (const statement of statements) found.push((await client.query(statement)).rows)
  return { success: true, data: { subscription: found } }
}

const app = Fastify()
await app.register(jwt, { secret: 'a secret of thirty-two bytes....', sign: { expiresIn: '15m' } })

app.get('/token', async () => {
  const session = 'SELECT id FROM sessions WHERE user_id = $1 AND revoked_at IS NULL LIMIT 1'
  const { rows } = await pool.query(session, [PERSON])
  return app.jwt.sign({ sub: PERSON, sid: rows[0].id })
})

app.get('/api/subscriptions/company/:id', async (request, reply) => {
  const { sub, sid } = await request.jwtVerify()
  const { id } = request.params
  return using(pool, async (client) => {
    await client.query('BEGIN')
    try {
      await client.query({ name: 'scope', text: scope, values: [id, sub] })
      const { rows } = await client.query({ name: 'proof', text: proof, values: [sid, sub, id] })
      return rows.length === 0 ? reply.code(404).send({ success: false }) : await all(client)
    } finally {
      await client.query('COMMIT')
    }
  })
})

app.get('/plain/subscriptions/company/:id', async (request, reply) => {
  const { sub } = await request.jwtVerify()
  return using(plain, async (client) => {
    const { rows } = await client.query({ name: 'role', text: role, values: [request.params.id, sub] })
    return rows.length === 0 ? reply.code(404).send({ success: false }) : all(client)
  })
})

/** Before the clock runs: the statements of one payment, each with its own ids. */
app.post('/payments', async (request) => payments.push(request.body.map(prepared)))

app.post('/api/payments/process', async (request, reply) => {
  await request.jwtVerify()
  const payment = payments.pop()
  if (payment === undefined) return reply.code(404).send({ success: false })
  return using(plain, async (client) => {
    for (const statement of payment) await client.query(statement)
    return { success: true }
  })
})

await app.listen({ host: '127.0.0.1', port: 0 })
console.log(`listening on http://127.0.0.1:${app.server.address().port}`)
