// The accessibility check of a page as it stands. The source of axe-core is evaluated in the page, because a script tag
// would break our own policy.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, type Page } from '@playwright/test'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  id: string
  nodes: { html: string; failureSummary: string }[]
}

async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source)
  const found = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run: (options: object) => Promise<{ violations: Violation[] }> } }
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
    // An open menu floats beside every landmark, as menus do.
    const rules = { region: { enabled: document.querySelector('[role=menu]') === null } }
    return (await axe.run({ runOnly: tags, rules })).violations
  })
  return found.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`))
}

/** Loaded and at rest, or loading for as long as somebody holds the answer. */
export async function settle(page: Page, loading = false): Promise<void> {
  await page.locator('h1').waitFor({ state: 'attached' })
  if (!loading) await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null)
  await page.evaluate(() => {
    // The caret of a code's field blinks for ever.
    const ends = ({ effect }: Animation) => effect?.getComputedTiming().endTime !== Infinity
    const finished = (animation: Animation) => animation.finished.catch(() => undefined)
    return Promise.all(document.getAnimations().filter(ends).map(finished))
  })
}

/** A page is looked at from its top: elsewhere whatever happens to stand below the sticky header counts as hidden. What
 *  floats stays where it is, because it may go when the page moves. */
async function toTheTop(page: Page): Promise<void> {
  await page.evaluate(() => {
    if (document.querySelector('[role=dialog], [role=alertdialog], [role=menu], [role=listbox]') === null)
      scrollTo({ top: 0, behavior: 'instant' })
  })
}

/** Looks at the page as it stands in one theme and then in the other, which it follows without being loaded again. */
export async function expectNoViolation(page: Page, what: string, loading = false): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme)
    await settle(page, loading)
    await toTheTop(page)
    // Whoever asked for less motion gets none.
    expect(
      await page.evaluate(() =>
        matchMedia('(prefers-reduced-motion: reduce)').matches ? document.getAnimations().length : 0,
      ),
      `${what} moves`,
    ).toBe(0)
    expect(await violations(page), `${what} in ${colorScheme}`).toEqual([])
  }
}
