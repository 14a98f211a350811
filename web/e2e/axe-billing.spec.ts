// Every screen and dialog of plans, subscriptions and payments, in both themes, without an accessibility violation, and
// on a small phone without anything wider than it.
import { settle, violations } from './axe'
import { walkBilling } from './billing-walk'
import { expect, test } from './journey'

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(`${colorScheme} theme`, () => {
    test.use({ colorScheme, contextOptions: { reducedMotion: 'reduce' } })
    test('no step of a subscription has a violation', async ({ page }) => {
      test.setTimeout(300_000)
      await walkBilling(page, async (name) => {
        await settle(page)
        expect(await violations(page), name).toEqual([])
      })
    })
  })
}

test.describe('on a phone of 360 px', () => {
  test.use({ viewport: { width: 360, height: 740 }, hasTouch: true, contextOptions: { reducedMotion: 'reduce' } })
  test('no step of a subscription is wider than the screen', async ({ page }) => {
    test.setTimeout(300_000)
    await walkBilling(page, async (name) => {
      await settle(page)
      const widest = await page.evaluate(() => Math.max(document.documentElement.scrollWidth, ...[...document.querySelectorAll('[role=dialog] > *, [role=alertdialog]')].map((part) => part.scrollWidth)))
      expect(widest, name).toBeLessThanOrEqual(360)
    })
  })
})
