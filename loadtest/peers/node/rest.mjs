// The same read and the same payment write as Bipe's on fastify and pg. A read is a signed token, the member's role,
// then the statements that read a subscription, prepared; its scope is set once a connection, which is cheaper than
// Bipe's once a transaction. A payment is all the statements that Bipe runs for one, without the provider's part.
import jwt from "@fastify/jwt";
import Fastify from "fastify";
import pg from "pg";

const { STATEMENTS, COMPANY, PERSON, SOCKET, PORT } = process.env;
const names = new Map();
/** What has values is prepared, under one name for the same text. */
const prepared = ([text, values]) => {
  if (values === null) return { text };
  if (!names.has(text)) names.set(text, `statement${names.size}`);
  return { name: names.get(text), text, values };
};
const statements = JSON.parse(STATEMENTS).map(prepared);
const payments = [];
const member = { name: "member", text: "SELECT role FROM members WHERE company_id = $1 AND user_id = $2" };
const pool = new pg.Pool({
  host: SOCKET,
  port: Number(PORT),
  user: "bipe_owner",
  database: "bipe",
  max: 12,
  options: `-c role=bipe_app -c bipe.company_id=${COMPANY}`,
});

const app = Fastify();
await app.register(jwt, { secret: "a secret of thirty-two bytes....", sign: { expiresIn: "15m" } });

app.get("/token", () => app.jwt.sign({ sub: PERSON }));

app.get("/api/subscriptions/company/:id", async (request, reply) => {
  const { sub } = await request.jwtVerify();
  const client = await pool.connect();
  try {
    const { rows } = await client.query({ ...member, values: [request.params.id, sub] });
    if (rows.length === 0) return reply.code(404).send({ success: false });
    const found = [];
    for (const statement of statements) found.push((await client.query(statement)).rows);
    return { success: true, data: { subscription: found } };
  } finally {
    client.release();
  }
});

/** Before the clock runs: the statements of one payment, each with its own ids. */
app.post("/payments", async (request) => payments.push(request.body.map(prepared)));

app.post("/api/payments/process", async (request, reply) => {
  await request.jwtVerify();
  const payment = payments.pop();
  if (payment === undefined) return reply.code(404).send({ success: false });
  const client = await pool.connect();
  try {
    for (const statement of payment) await client.query(statement);
    return { success: true };
  } finally {
    client.release();
  }
});

await app.listen({ host: "127.0.0.1", port: 0 });
console.log(`listening on http://127.0.0.1:${app.server.address().port}`);
