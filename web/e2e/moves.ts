// Whether something that a person already sees moves while a page finds together.
import { expect, type Page } from '@playwright/test'
import { settle } from './axe'

/** Milliseconds until each answer or file comes: in another order than asked for, and later than a skeleton appears. */
export const WAITS = [470, 290, 560, 380, 200]

/** From now on the pages' answers come slowly, and what moves is written down. */
export async function watchMoves(pages: Page[]): Promise<void> {
  for (const page of pages) {
    await answersComeSlowly(page)
    await recordMoves(page)
  }
}

/** Opens the path; until the page is at rest, nothing moves. */
export async function openStill(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await settle(page)
  expect(await movesOf(page), `${path} at ${page.viewportSize()?.width} px`).toEqual([])
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
export function movesOf(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 50)))
    return (window as unknown as { moves: string[] }).moves
  })
}
