// Two servers on one database behind a proxy. The one that serves the page's live connection is stopped while the other
// one commits: the page moves over, misses nothing, and is live all the time. Then that one is killed between paying
// and settling and comes back on the same data and port: the tab, left alone, shows the approval. The page is expected
// to log the lost connection.
import type { ChildProcess } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type Page } from '@playwright/test'
import { newCompanyOwnerAt } from './arrival'
import { expect } from './journey'
import { expectActive, payByPix, payments, resultDialog } from './payment'
import { waitUntilLive } from './people'
import { newPerson } from './person'
import { crashOrigin, stopServer, settings, startServer } from './servers'
import { sessionOf } from './setup'

const SHOWN = 'Ponto'

/** Carries connections to where it points when they come. */
class Proxy {
  private constructor(
    private readonly server: Server,
    readonly origin: string,
    public target: string,
  ) {}

  static async open(): Promise<Proxy> {
    const server = createServer((client) => {
      const { hostname, port } = new URL(proxy.target)
      const node = connect(Number(port), hostname)
      client.pipe(node).pipe(client)
      client.on('error', () => node.destroy())
      node.on('error', () => client.destroy())
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const proxy = new Proxy(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`, '')
    return proxy
  }

  close(): void {
    this.server.close()
  }
}

/** What happened on the page's sockets, in order: `1 open`, `1 welcome`, `2 live plans`, `1 close`. */
function watchSockets(page: Page): string[] {
  const log: string[] = []
  let sockets = 0
  page.on('websocket', (socket) => {
    const name = (sockets += 1)
    log.push(`${name} open`)
    const note = ({ payload }: { payload: string | Buffer }, how: string) => {
      for (const frame of [JSON.parse(String(payload)) as object].flat() as Record<string, string>[]) {
        const { type, channel = '' } = frame
        if (how === 'sent' ? type === 'sync' : type !== 'ping') log.push(`${name} ${type} ${channel}`.trim())
      }
    }
    socket.on('framereceived', (frame) => note(frame, 'received'))
    socket.on('framesent', (frame) => note(frame, 'sent'))
    socket.on('close', () => log.push(`${name} close`))
  })
  return log
}

/** Collects in the page, from now on: each name of the company and each state of the connection that is shown. */
async function watchScreen(page: Page): Promise<() => Promise<{ names: number[]; states: string[] }>> {
  await page.evaluate((shown) => {
    const seen = { names: [] as number[], states: [] as string[] }
    Object.assign(window, { seen })
    const note = <T>(list: T[], value: T) => void (list.at(-1) === value || list.push(value))
    const look = () => {
      const name = new RegExp(`${shown} (\\d+)`).exec(document.body.textContent ?? '')
      if (name) note(seen.names, Number(name[1]))
      note(seen.states, document.querySelector('[aria-label^="Conexão: "]')?.ariaLabel ?? 'none')
    }
    look()
    new MutationObserver(look).observe(document.body, {
      subtree: true,
      childList: true,
      characterData: true,
      attributeFilter: ['aria-label', 'class'],
    })
  }, SHOWN)
  return () => page.evaluate(() => (window as unknown as { seen: { names: number[]; states: string[] } }).seen)
}

/** Renames the company once and again at this server until told to stop. Returns the number of the last name. */
async function rename(page: Page, origin: string, goesOn: () => boolean): Promise<number> {
  const { token, company } = await sessionOf(page)
  for (let number = 1; ; number += 1) {
    const last = !goesOn()
    const answer = await page.request.put(`${origin}/api/companies/${company}`, {
      headers: { authorization: `Bearer ${token}` },
      data: { companyName: `${SHOWN} ${number}` },
    })
    expect(answer.status()).toBe(200)
    if (last) return number
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

test('a page moves to another server without a break while its own one stops, and sees a payment survive the death of that one', async ({
  browser,
}) => {
  test.setTimeout(180_000)
  const dirs = ['first', 'second'].map((name) => mkdtempSync(join(tmpdir(), `bipe-${name}-`)))
  for (const dir of dirs) chmodSync(dir, 0o755) // the database's own user must be able to enter it
  const [firstDir = '', secondDir = ''] = dirs
  const proxy = await Proxy.open()
  const shared = { BIPE_PUBLIC_URL: proxy.origin, BIPE_SECRET: crypto.randomUUID() + crypto.randomUUID() }
  const servers: ChildProcess[] = []
  const add = async (origin: string, dataDir: string, more: Record<string, string> = {}) => {
    const begun = await startServer({ ...settings(origin, dataDir), ...shared, ...more })
    servers.unshift(begun.server)
    return begun
  }
  try {
    // The second one has the database, so it is there first and stays.
    const second = await add(crashOrigin, secondDir)
    proxy.target = second.origin
    const page = await browser.newPage({ baseURL: proxy.origin })
    await newCompanyOwnerAt(page, newPerson(), `${SHOWN} 0`)

    const socket = join(secondDir, 'postgres', 'socket')
    const first = await add('http://127.0.0.1:0', firstDir, {
      DATABASE_URL: `host='${socket}' user='bipe_owner' dbname='bipe'`,
    })
    proxy.target = first.origin
    // The page that is open has a socket of its own, which may come as late as now.
    await page.goto('about:blank')
    const log = watchSockets(page)
    await page.goto('/dashboard')
    await waitUntilLive(page)
    await expect(page.getByText(`${SHOWN} 0`).first()).toBeVisible()
    const seen = await watchScreen(page)
    const reads: string[] = []
    page.on('request', (request) => reads.push(request.url()))

    let runs = true
    const renamed = rename(page, second.origin, () => runs)
    proxy.target = second.origin
    await stopServer(first.server, 'SIGTERM')
    runs = false
    const last = await renamed
    await expect(page.getByText(`${SHOWN} ${last}`).first()).toBeVisible()

    const { names, states } = await seen()
    expect(states).toEqual(['Conexão: Ao vivo'])
    expect(names).toEqual([...new Set(names)].toSorted((one, other) => one - other))
    expect(reads, 'nothing but the version of the build').toEqual([`${proxy.origin}/api/config`])
    expect(log.filter((line) => line.startsWith('3') || line.endsWith('sync') || line.includes('reset'))).toEqual([])
    const left = log.indexOf('1 close')
    const arrivals = log.filter((line) => line.startsWith('2 live'))
    expect(arrivals.length).toBeGreaterThan(2)
    for (const arrival of arrivals) expect(log.lastIndexOf(arrival), `${arrival} comes first`).toBeLessThan(left)

    const pending = await payByPix(page, 'Essencial')
    await expect(page.getByText('Ao vivo')).toBeAttached()
    await stopServer(second.server, 'SIGKILL')
    await expect(page.getByText('Sem tempo real - atualizando a cada 15 s')).toBeAttached()
    await add(crashOrigin, secondDir)
    await expect(page.getByText('Ao vivo')).toBeAttached({ timeout: 45_000 })
    await pending.getByRole('button', { name: 'Aprovar' }).click()
    await (await resultDialog(page, 'Pagamento Aprovado!')).getByRole('button', { name: 'Continuar' }).click()
    await expectActive(page, 'Essencial')
    expect(await payments(page)).toMatchObject([{ status: 'SUCCESS' }])
    await page.close()
  } finally {
    for (const server of servers) await stopServer(server, 'SIGTERM')
    proxy.close()
    for (const dir of dirs) rmSync(dir, { recursive: true, force: true })
  }
})
