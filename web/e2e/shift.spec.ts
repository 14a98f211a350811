// Nothing that a person already sees moves while a page finds together: every page on a phone and at a desk, while the
// answers of the API come slowly and one after the other.
import type { Page } from '@playwright/test'
import { enterAdmin } from './admin'
import { fillArea } from './admin-walk'
import { enter } from './arrival'
import { settle } from './axe'
import { expect, test } from './journey'
import { newPerson } from './person'
import { adminPages, companyPages, openPages } from './routes'
import { subscribe } from './setup'

const SIZES = [
  { width: 360, height: 740 },
  { width: 1440, height: 900 },
]

test('the open pages stand still while they load', async ({ page }) => {
  test.setTimeout(180_000)
  await watch(page)
  await expectStill(page, openPages)
})

test("a company's pages stand still while they load, whatever it holds", async ({ page }) => {
  test.setTimeout(300_000)
  await enter(page, newPerson(), 'Ponto Sul')
  await watch(page)
  await expectStill(page, companyPages)
  await subscribe(page, 'Essencial')
  await expectStill(page, companyPages)
})

test("the admin's pages stand still while they load", async ({ page, browser }) => {
  test.setTimeout(180_000)
  await fillArea(browser)
  await enterAdmin(page)
  await watch(page)
  await expectStill(page, adminPages)
})

async function expectStill(page: Page, paths: string[]): Promise<void> {
  for (const size of SIZES) {
    await page.setViewportSize(size)
    for (const path of paths) {
      await page.goto(path)
      await settle(page)
      expect(await movesOf(page), `${path} at ${size.width} px`).toEqual([])
    }
  }
}

/** From now on the page's answers come slowly, and what moves is written down. */
async function watch(page: Page): Promise<void> {
  await answerSlowly(page)
  await recordMoves(page)
}

/** The answers of a page come in another order than they were asked for, each later than a skeleton appears. */
async function answerSlowly(page: Page): Promise<void> {
  let asked = 0
  await page.route('**/api/**', async (route) => {
    asked += 1
    await new Promise((resolve) => setTimeout(resolve, 200 + 90 * ((asked * 3) % 5)))
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
