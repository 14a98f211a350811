// A live connection that floods the page: a WebSocket inside the page that speaks the server's side of rt.v1, so that
// what is measured is this page and nothing else. Half of the events are new activities, half new figures.
import type { Browser, Page } from '@playwright/test'

export interface Flood {
  perSecond: number
  seconds: number
  /** What the figures start from: the REST document. */
  metrics: Record<string, { value?: number | null }>
  /** Whose page it is, as the REST call says. */
  user: object
}

interface Measured {
  sent: number
  acknowledged: number
  /** How often the number on the MRR card changed. */
  mrrChanges: number
  /** Seconds that the flood took: a busy machine is late. */
  elapsed: number
}

declare global {
  interface Window {
    flood: Measured & { begin: () => void; done: boolean }
  }
}

/** To be called before the page is opened; `window.flood.begin()` opens the sluice. */
export async function prepareFlood(page: Page, flood: Flood): Promise<void> {
  await page.addInitScript(({ perSecond, seconds, metrics, user }) => {
    const positions: Record<string, number> = {}
    let deliver: (frame: object) => void = () => undefined
    const measured = { sent: 0, acknowledged: 0, mrrChanges: 0, elapsed: 0, done: false }

    class FloodSocket {
      static readonly CONNECTING = 0
      static readonly OPEN = 1
      static readonly CLOSING = 2
      static readonly CLOSED = 3
      readyState = FloodSocket.CONNECTING
      onopen: ((event: object) => void) | null = null
      onmessage: ((event: { data: string }) => void) | null = null
      onclose: ((event: { code: number }) => void) | null = null
      onerror: ((event: object) => void) | null = null

      constructor() {
        deliver = (frame) => this.onmessage?.({ data: JSON.stringify(frame) })
        setTimeout(() => {
          this.readyState = FloodSocket.OPEN
          this.onopen?.({})
        })
      }
      close() {
        this.readyState = FloodSocket.CLOSED
      }
      send(text: string) {
        const frame = JSON.parse(text) as {
          type: string
          id: number
          channel?: string
          frames?: number
          subscriptions?: { channel: string }[]
        }
        if (frame.type === 'ack') measured.acknowledged = frame.frames ?? 0
        if (frame.type === 'hello')
          setTimeout(() =>
            welcome(
              frame.id,
              (frame.subscriptions ?? []).map(({ channel }) => channel),
            ),
          )
        if (frame.type === 'subscribe' && frame.channel) setTimeout(catchUp, 0, frame.channel)
      }
    }

    function welcome(id: number, channels: string[]) {
      const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
      deliver({
        type: 'welcome',
        id,
        connection: 'flood',
        serverTime: new Date().toISOString(),
        expiresAt,
        resume: 'x',
        heartbeatMs: 600_000,
        window: 128,
        retry: { baseMs: 500, capMs: 30_000, spreadMs: 5_000 },
      })
      channels.forEach(catchUp)
    }
    function catchUp(channel: string) {
      positions[channel] = 1
      const data = { user, plans: { plans: [] }, 'admin/metrics': { metrics } }[channel] ?? {}
      deliver({ type: 'snapshot', channel, epoch: 'e', seq: 1, data })
      deliver({ type: 'live', channel, seq: 1 })
    }
    function event(n: number) {
      const channel = n % 2 ? 'admin/metrics' : 'admin/activity'
      const seq = (positions[channel] ?? 1) + 1
      positions[channel] = seq
      const at = new Date().toISOString()
      const value = (name: string) => ({ ...metrics[name], value: (metrics[name]?.value ?? 0) + n })
      if (n % 2)
        return {
          type: 'event',
          channel,
          seq,
          name: 'metrics.updated',
          key: '',
          at,
          data: { metrics: { ...metrics, mrr: value('mrr'), arr: value('arr'), totalUsers: value('totalUsers') } },
        }
      const types = ['payment', 'subscription', 'user', 'cancellation']
      const data = {
        id: `flood-${n}`,
        type: types[(n / 2) % 4],
        status: 'success',
        message: `Pagamento ${n} aprovado: Ponto Central`,
        timestamp: at,
      }
      return { type: 'event', channel, seq, name: 'activity.created', key: data.id, at, data }
    }

    function begin() {
      const card = [...document.querySelectorAll('main li')].find(
        (item) => item.querySelector('span')?.textContent === 'MRR',
      )
      const shown = card?.querySelector('[title^="R$"]')
      if (shown)
        new MutationObserver(() => (measured.mrrChanges += 1)).observe(shown, { subtree: true, characterData: true })
      const from = performance.now()
      const timer = setInterval(() => {
        const due = Math.min(perSecond * seconds, Math.floor(((performance.now() - from) / 1_000) * perSecond))
        while (measured.sent < due) deliver(event((measured.sent += 1)))
        if (measured.sent < perSecond * seconds) return
        clearInterval(timer)
        measured.elapsed = (performance.now() - from) / 1_000
        measured.done = true
      }, 5)
    }
    Object.assign(window, { WebSocket: FloodSocket, flood: Object.assign(measured, { begin }) })
  }, flood)
}

/**
 * Milliseconds that each task of the page's main thread took of the processor, longest first. Not by the clock on the
 * wall: another program's turn is no fault of the page.
 */
export async function tasksDuring(browser: Browser, page: Page, work: () => Promise<void>): Promise<number[]> {
  await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline', '__metadata'] })
  await work()
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] }
  const main = new Set(
    traceEvents.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain').map(threadOf),
  )
  return traceEvents
    .filter((event) => event.name === 'RunTask' && main.has(threadOf(event)))
    .map(({ tdur = 0 }) => tdur / 1_000)
    .toSorted((one, other) => other - one)
}

interface TraceEvent {
  name: string
  pid: number
  tid: number
  /** Microseconds of the thread's own time. */
  tdur?: number
  args?: { name?: string }
}

function threadOf({ pid, tid }: TraceEvent): string {
  return `${pid}/${tid}`
}
