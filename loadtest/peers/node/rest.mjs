// The same read as Bipe's on fastify and pg: a signed token, the member's role, then the statements that read a
// subscription, prepared. The scope is set once a connection, which is cheaper than Bipe's once a transaction.
import jwt from "@fastify/jwt";
import Fastify from "fastify";
import pg from "pg";

const { STATEMENTS, COMPANY, PERSON, SOCKET, PORT } = process.env;
const statements = JSON.parse(STATEMENTS).map(([text, values], at) => ({ name: `read${at}`, text, values }));
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

await app.listen({ host: "127.0.0.1", port: 0 });
console.log(`listening on http://127.0.0.1:${app.server.address().port}`);
