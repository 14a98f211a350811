// Nothing that a person already sees moves while a page finds together: every page on a phone and at a desk, while the
// answers of the API come slowly and one after the other. Both sizes wait at the same time.
import type { Browser, Page } from '@playwright/test'
import { enterAdmin } from './admin'
import { fillArea } from './admin-walk'
import { signInAt, newCompanyOwner } from './arrival'
import { settle } from './axe'
import { expect, test } from './journey'
import { newBrowserPage } from './people'
import { newPerson } from './person'
import { adminPages, companyPages, openPages } from './routes'
import { subscribe } from './setup'
import { PHONE } from './sizes'

/** Milliseconds until each answer or file comes: in another order than asked for, and later than a skeleton appears. */
const WAITS = [470, 290, 560, 380, 200]

/** Pages that are the same whatever the company holds. */
const OF_NO_SUBSCRIPTION = ['/account', '/company/create']

test('the open pages stand still while they load', async ({ page, browser }) => {
  test.setTimeout(180_000)
  const sizes = [page, await onAPhone(browser)]
  await watch(sizes)
  await expectStill(sizes, openPages)
})

test("a company's pages stand still while they load, whatever it holds", async ({ page, browser }) => {
  test.setTimeout(300_000)
  const sizes = await watchedMember(page, browser, 'Ponto Sul')
  await expectStill(sizes, companyPages)
  await subscribe(page, 'Essencial')
  await expectStill(
    sizes,
    companyPages.filter((path) => !OF_NO_SUBSCRIPTION.includes(path)),
  )
})

test('the account stands still although its files come one after the other', async ({ page, browser }) => {
  test.setTimeout(180_000)
  const sizes = await watchedMember(page, browser, 'Ponto Oeste')
  for (const size of sizes) {
    await scriptsComeSlowly(size)
    await size.setViewportSize({ width: size.viewportSize()?.width ?? PHONE.width, height: 3_600 })
  }
  await expectStill(sizes, ['/account'])
})

test("the admin's pages stand still while they load", async ({ page, browser }) => {
  test.setTimeout(180_000)
  await fillArea(browser)
  await enterAdmin(page)
  const phone = await onAPhone(browser)
  await enterAdmin(phone)
  const sizes = [page, phone]
  await watch(sizes)
  await expectStill(sizes, adminPages)
})

test('the header stands still while the live connection takes its time', async ({ page }) => {
  await newCompanyOwner(page, newPerson(), 'Ponto Leste')
  await recordMoves(page)
  let connect: () => void = () => undefined
  const allowed = new Promise<void>((resolve) => (connect = resolve))
  await page.routeWebSocket('**/api/live', async (socket) => {
    await allowed
    socket.connectToServer()
  })
  await page.goto('/dashboard')
  await expect(page.getByRole('button', { name: 'Conexão: Reconectando...' })).toBeVisible()
  connect()
  await expect(page.getByRole('button', { name: 'Conexão: Ao vivo' })).toBeVisible()
  expect(await movesOf(page)).toEqual([])
})

/** In a browser of its own, so that neither page is behind the other one. */
function onAPhone(browser: Browser): Promise<Page> {
  return newBrowserPage(browser, { viewport: PHONE })
}

/** A person with a company, at a desk and on a phone, where moves are written down from now on. */
async function watchedMember(page: Page, browser: Browser, companyName: string): Promise<Page[]> {
  const person = newPerson()
  await newCompanyOwner(page, person, companyName)
  const phone = await onAPhone(browser)
  await signInAt(phone, person)
  await watch([page, phone])
  return [page, phone]
}

async function expectStill(pages: Page[], paths: string[]): Promise<void> {
  await Promise.all(
    pages.map(async (page) => {
      for (const path of paths) {
        await page.goto(path)
        await settle(page)
        expect(await movesOf(page), `${path} at ${page.viewportSize()?.width} px`).toEqual([])
      }
    }),
  )
}

/** From now on the pages' answers come slowly, and what moves is written down. */
async function watch(pages: Page[]): Promise<void> {
  for (const page of pages) {
    await answersComeSlowly(page)
    await recordMoves(page)
  }
}

/** Answers of the API wait in the page itself: while a page has a route, its browser takes no file from the cache. */
async function answersComeSlowly(page: Page): Promise<void> {
  await page.addInitScript((waits) => {
    const ask = globalThis.fetch
    let asked = 0
    globalThis.fetch = async (what, options) => {
      const { pathname } = new URL(what instanceof Request ? what.url : what, location.href)
      const wait = pathname.startsWith('/api/') ? waits[asked++ % waits.length] : 0
      if (wait) await new Promise((resolve) => setTimeout(resolve, wait))
      return ask(what, options)
    }
  }, WAITS)
}

async function scriptsComeSlowly(page: Page): Promise<void> {
  let asked = 0
  await page.route('**/assets/*.js', async (route) => {
    const wait = WAITS[asked++ % WAITS.length]
    await new Promise((resolve) => setTimeout(resolve, wait))
    await route.continue()
  })
}

/** What the browser counts as a shift: something seen moved, and nobody had just touched the page. */
interface LayoutShift extends PerformanceEntry {
  value: number
  hadRecentInput: boolean
  sources: { node: Node | null; previousRect: DOMRectReadOnly; currentRect: DOMRectReadOnly }[]
}

async function recordMoves(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const moves: string[] = []
    Object.assign(window, { moves })
    const at = ({ x, y, width, height }: DOMRectReadOnly) => [x, y, width, height].map(Math.round).join(',')
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput, sources } of list.getEntries() as LayoutShift[]) {
        if (hadRecentInput) continue
        const moved = sources.map(
          ({ node, previousRect, currentRect }) =>
            `${node?.textContent?.slice(0, 60)} from ${at(previousRect)} to ${at(currentRect)}`,
        )
        moves.push(`${value.toFixed(4)}: ${moved.join('; ')}`)
      }
    }).observe({ type: 'layout-shift', buffered: true })
  })
}

/** Also of the last frame, which the observer hears of after it was drawn. */
function movesOf(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 50)))
    return (window as unknown as { moves: string[] }).moves
  })
}
