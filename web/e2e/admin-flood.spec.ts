// Whether the admin's dashboard keeps up with many live events: 200 a second for a minute, without a task of over 50
// ms, with numbers that a person can read and without a heap that grows. It runs by `make bench-web` only.
import { enterAdmin } from './admin'
import { prepareFlood, tasksDuring, type Flood } from './flood'
import { expect, test } from './journey'

test.skip(!process.env.BIPE_EVENTS, 'measured by `make bench-web`')
// One line for the page of results, also when it is too slow.
test.describe.configure({ retries: 0 })

const perSecond = 200
const seconds = Number(process.env.BIPE_EVENTS_SECONDS ?? 60)

test('200 live events a second for a minute hold the page nowhere', async ({ page, context, browser }) => {
  test.setTimeout(300_000)
  await enterAdmin(page)
  const start = await page.evaluate(async () => {
    const read = async (path: string) => {
      const answer = await fetch(path, {
        headers: { authorization: `Bearer ${localStorage.getItem('bipe.accessToken')}` },
      })
      return ((await answer.json()) as { data: Pick<Flood, 'metrics' | 'user'> }).data
    }
    return {
      metrics: (await read('/api/admin/analytics/dashboard?period=30d')).metrics,
      user: (await read('/api/auth/me')).user,
    }
  })
  await prepareFlood(page, { perSecond, seconds, ...start })
  await page.goto('/admin/dashboard')
  await expect(page.getByRole('button', { name: 'Conexão: Ao vivo' })).toBeVisible()

  const cdp = await context.newCDPSession(page)
  const heap = async () => {
    await cdp.send('HeapProfiler.collectGarbage')
    return (await cdp.send('Runtime.getHeapUsage')).usedSize
  }
  const before = await heap()
  const tasks = await tasksDuring(browser, page, async () => {
    await page.evaluate(() => window.flood.begin())
    await page.waitForFunction(() => window.flood.done, undefined, {
      timeout: seconds * 2_000 + 60_000,
      polling: 1_000,
    })
    await expect(page.getByText(`Pagamento ${perSecond * seconds} aprovado: Ponto Central`)).toBeVisible()
    await page.waitForFunction(() => window.flood.acknowledged >= window.flood.sent, undefined, { polling: 1_000 })
  })
  const grown = ((await heap()) - before) / 1e6

  const { sent, mrrChanges, elapsed } = await page.evaluate(() => ({ ...window.flood, begin: undefined }))
  const longest = tasks[0] ?? Number.NaN
  const share = tasks.reduce((sum, task) => sum + task, 0) / (elapsed * 10)
  console.log(
    `${sent} events in ${elapsed.toFixed(0)} s: ${tasks.length} tasks, the longest ${longest.toFixed(1)} ms of the processor, ${share.toFixed(1)}% of its time; MRR drawn ${mrrChanges} times; heap ${grown.toFixed(1)} MB larger`,
  )
  expect(tasks.length).toBeGreaterThan(sent / 20)
  expect(longest).toBeGreaterThan(0)
  expect(longest).toBeLessThanOrEqual(50)
  expect(mrrChanges).toBeGreaterThan(0)
  // Once a second; the period's figures, read every ten seconds, do not know of the flood and take it back for a
  // moment.
  expect(mrrChanges).toBeLessThanOrEqual(elapsed * 1.2 + 3)
  expect(grown).toBeLessThan(5)
})
