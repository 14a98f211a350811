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

/** What another theme can break: it has other colours, and the landing page other pictures. */
const OF_A_THEME = ['color-contrast', 'link-in-text-block', 'image-alt', 'image-redundant-alt', 'svg-img-alt']

/** What the page breaks as it stands, and how much of it moves for a person who asked for less motion. */
async function lookOver(page: Page, ofThemeAlone: boolean): Promise<{ broken: string[]; moving: number }> {
  const { found, moving } = await page.evaluate(
    async (ofTheme) => {
      const { axe } = window as unknown as { axe: { run: (options: object) => Promise<{ violations: Violation[] }> } }
      // From its top: elsewhere whatever happens to stand below the sticky header counts as hidden. What floats stays
      // where it is, because it may go when the page moves.
      if (document.querySelector('[role=dialog], [role=alertdialog], [role=menu], [role=listbox]') === null)
        scrollTo({ top: 0, behavior: 'instant' })
      await new Promise(requestAnimationFrame)
      const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches
      const moving = isStill ? document.getAnimations().length : 0
      const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
      // An open menu floats beside every landmark, as menus do.
      const rules = { region: { enabled: document.querySelector('[role=menu]') === null } }
      const runOnly = ofTheme ?? tags
      // A rule that is asked for by its name is not turned off beside that.
      const options = { runOnly, resultTypes: ['violations'], ...(!ofTheme && { rules }) }
      return { found: (await axe.run(options)).violations, moving }
    },
    ofThemeAlone ? OF_A_THEME : null,
  )
  const broken = found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
  )
  return { broken, moving }
}

/** Loaded and at rest, or loading for as long as somebody holds the answer. */
export async function settle(page: Page, loading = false): Promise<void> {
  await page.waitForFunction(
    (loading) =>
      document.querySelector('h1') !== null && (loading || document.querySelector('[aria-busy="true"]') === null),
    loading,
  )
  await page.evaluate(() => {
    // The caret of a code's field blinks for ever.
    const ends = ({ effect }: Animation) => effect?.getComputedTiming().endTime !== Infinity
    const finished = (animation: Animation) => animation.finished.catch(() => undefined)
    return Promise.all(document.getAnimations().filter(ends).map(finished))
  })
}

/**
 * Looks at the page as it stands in its theme and then in the other one, which it follows without being loaded again:
 * at everything in the first, at colours and pictures in the second. There it stays: drawing it anew takes a while.
 */
export async function expectNoViolation(page: Page, what: string, loading = false): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source)
  const isDark = (await page.locator('html').getAttribute('data-theme')) === 'dark'
  const [first, second] = isDark ? (['dark', 'light'] as const) : (['light', 'dark'] as const)
  for (const colorScheme of [first, second]) {
    await page.emulateMedia({ colorScheme })
    await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme)
    await settle(page, loading)
    const { broken, moving } = await lookOver(page, colorScheme === second)
    expect(moving, `${what} moves`).toBe(0)
    expect(broken, `${what} in ${colorScheme}`).toEqual([])
  }
}

/**
 * What stands on the page now fits the smallest phone. Only the landing page is measured in both themes: it has other
 * pictures in each, and every page other colours.
 */
export async function expectToFitASmallPhone(page: Page, path: string): Promise<void> {
  await atWidth(page, 320, async () => {
    await expectToFit(page, path)
    if (path !== '/') return
    await page.emulateMedia({ colorScheme: 'dark' })
    await expectToFit(page, `${path} in dark`)
    await page.emulateMedia({ colorScheme: 'light' })
  })
}

/** What stands on the page now, dialogs included, fits a phone. */
export async function expectToFitAPhone(page: Page, what: string): Promise<void> {
  await atWidth(page, 360, () => expectToFit(page, what))
}

async function atWidth(page: Page, width: number, work: () => Promise<void>): Promise<void> {
  const before = page.viewportSize()
  await page.setViewportSize({ width, height: 740 })
  await work()
  if (before) await page.setViewportSize(before)
}

/** At the usual size of text, and for a person who set their browser to twice of it. */
async function expectToFit(page: Page, what: string): Promise<void> {
  await expectWidth(page, what)
  // The setting, and not a style of the page: the queries of its style sheets follow it too.
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } })
  await expectWidth(page, `${what}, its text twice as large`)
  await devtools.send('Page.setFontSizes', { fontSizes: { standard: 16, fixed: 13 } })
  await devtools.detach()
}

async function expectWidth(page: Page, what: string): Promise<void> {
  await settle(page)
  const [widest, screen] = await page.evaluate(() => {
    const parts = document.querySelectorAll('html, [role=dialog] > *, [role=alertdialog]')
    return [Math.max(...[...parts].map((part) => part.scrollWidth)), innerWidth] as const
  })
  expect(screen, 'a phone').toBeLessThan(400)
  expect(widest, what).toBeLessThanOrEqual(screen)
}
