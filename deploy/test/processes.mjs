// The processes of the test: Bipe nodes on one database, and the proxies with the very files of `deploy/`.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const deploy = fileURLToPath(new URL('..', import.meta.url))
const binary = process.env.BIPE_BIN ?? join(deploy, '../target/debug/bipe')
const secret = randomUUID() + randomUUID()

/** A folder that the database's own user can enter. */
export function folder(name) {
  const path = mkdtempSync(join(tmpdir(), `bipe-${name}-`))
  chmodSync(path, 0o755)
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** A self-signed certificate for 127.0.0.1: the files `crt`, `key`, and `both` in one. */
export function certificate(dir) {
  const [crt, key, both] = ['crt', 'key', 'both'].map((name) => join(dir, `bipe.${name}`))
  const kind = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2'
  const names = '-subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1'
  const command = ['req', ...`${kind} ${names}`.split(' '), '-out', crt, '-keyout', key]
  execFileSync('openssl', command, { stdio: 'ignore' })
  writeFileSync(both, readFileSync(crt, 'utf8') + readFileSync(key, 'utf8'))
  return { crt, key, both, ca: readFileSync(crt) }
}

/** Two ports that nobody used a moment ago. */
export async function freePorts() {
  const servers = [createServer(), createServer()]
  for (const server of servers) await once(server.listen(0, '127.0.0.1'), 'listening')
  const ports = servers.map((server) => server.address().port)
  for (const server of servers) await once(server.close(), 'close')
  return ports
}

/** A node; without a database's address it brings the database. */
export async function startNode(dir, database) {
  const child = spawn(binary, ['serve'], {
    cwd: dir,
    env: {
      PATH: process.env.PATH,
      BIPE_BIND: '127.0.0.1:0',
      BIPE_DATA_DIR: dir,
      BIPE_RATE_LIMITS: 'relaxed',
      BIPE_SECRET: secret,
      BIPE_TRUSTED_PROXIES: '127.0.0.1',
      BIPE_DRAIN_DELAY: '3',
      RUST_LOG: 'error',
      ...(database && { DATABASE_URL: database }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })
  for await (const line of lines) {
    const origin = /^listening on (http:\S+)/.exec(line)?.[1]
    if (!origin) continue
    child.stdout.resume()
    return { origin, host: new URL(origin).host, stop: (signal) => stop(child, signal), pid: child.pid }
  }
  throw new Error('a node did not start')
}

/** As DATABASE_URL names the database of a node that brought one. */
export const databaseOf = (dir) => `host='${dir}/postgres/socket' user='bipe_owner' dbname='bipe'`

/** Ends a process that may have ended by itself; answers its status. */
export async function stop(child, signal = 'SIGTERM') {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  child.kill(signal)
  await once(child, 'exit')
  return child.exitCode
}

/** How each proxy is checked and started with its file: programs, arguments, environment. */
export const PROXIES = {
  haproxy: ({ certificate: { both }, ports: [https, http], nodes }) => ({
    check: ['-c', '-f', join(deploy, 'haproxy.cfg')],
    run: ['-db', '-f', join(deploy, 'haproxy.cfg')],
    env: {
      BIPE_PROXY_BIND: `127.0.0.1:${https}`,
      BIPE_PROXY_HTTP_BIND: `127.0.0.1:${http}`,
      BIPE_PROXY_CERTIFICATE: both,
      BIPE_NODE_1: nodes[0],
      BIPE_NODE_2: nodes[1],
      ...(process.getuid() === 0 && { BIPE_PROXY_USER: 'haproxy' }),
    },
  }),
  nginx: (place) => {
    const file = join(place.dir, 'nginx.conf')
    writeFileSync(file, nginxConf(place))
    const common = ['-c', file, '-e', join(place.dir, 'error.log')]
    return { check: [...common, '-t'], run: [...common, '-g', 'daemon off;'], env: {} }
  },
  caddy: ({ certificate: { crt, key }, ports: [https, http], nodes, dir }) => {
    const common = ['--config', join(deploy, 'Caddyfile'), '--adapter', 'caddyfile']
    return {
      check: ['validate', ...common],
      run: ['run', ...common],
      env: {
        BIPE_PROXY_SITE: `https://127.0.0.1:${https}`,
        BIPE_PROXY_HTTP_PORT: `${http}`,
        BIPE_PROXY_CERTIFICATE: crt,
        BIPE_PROXY_KEY: key,
        BIPE_NODE_1: nodes[0],
        BIPE_NODE_2: nodes[1],
        XDG_CONFIG_HOME: dir,
        XDG_DATA_HOME: dir,
      },
    }
  },
}

/** nginx reads no environment: the lines that end in "# yours" are replaced, each once. */
function nginxConf({ certificate: { crt, key }, ports: [https, http], nodes, dir }) {
  const yours = [
    ['/run/nginx.pid', join(dir, 'nginx.pid')],
    ['/var/log/nginx/error.log', join(dir, 'error.log')],
    ['/var/log/nginx/access.log', '/dev/null'],
    ['listen 80', `listen 127.0.0.1:${http}`],
    ['listen 443', `listen 127.0.0.1:${https}`],
    ['/etc/nginx/bipe.crt', crt],
    ['/etc/nginx/bipe.key', key],
    ['10.0.0.11:8080', nodes[0]],
    ['10.0.0.12:8080', nodes[1]],
  ]
  const lines = readFileSync(join(deploy, 'nginx.conf'), 'utf8').split('\n')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return lines
    .map((line) => {
      if (line === 'http {') return [line, ...temporary.map((name) => `${name}_temp_path ${dir}/${name};`)].join('\n')
      if (!line.endsWith('# yours')) return line
      const [from, to] = yours.find(([text]) => line.includes(text)) ?? []
      if (!from) throw new Error(`nothing replaces: ${line}`)
      return line.replace(from, to)
    })
    .join('\n')
}

/** Checks the proxy's file and starts the proxy with it. Its words are shown when it ends by itself. */
export function startProxy(program, place) {
  const { check, run, env } = PROXIES[program](place)
  const options = { cwd: place.dir, env: { PATH: `${process.env.PATH}:/usr/sbin`, ...env }, encoding: 'utf8' }
  const checked = spawnSync(program, check, options)
  if (checked.status !== 0) throw new Error(`${program} refuses its configuration: ${checked.stderr}`)
  const child = spawn(program, run, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (said += bytes))
  return { stop: () => stop(child, 'SIGTERM'), said: () => said, pid: child.pid }
}
