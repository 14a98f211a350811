// Every screen and dialog of plans, subscriptions and payments, in both themes, without an accessibility violation, and
// on a small phone without anything wider than it.
import { expectNoViolation, settle } from './axe'
import { walkBilling } from './billing-walk'
import { expect, test } from './journey'

test.describe('at a desk', () => {
  test.use({ contextOptions: { reducedMotion: 'reduce' } })
  test('no step of a subscription has a violation', async ({ page }) => {
    test.setTimeout(300_000)
    await walkBilling(page, (name) => expectNoViolation(page, name))
  })
})

test.describe('on a phone of 360 px', () => {
  test.use({ viewport: { width: 360, height: 740 }, hasTouch: true, contextOptions: { reducedMotion: 'reduce' } })
  test('no step of a subscription is wider than the screen', async ({ page }) => {
    test.setTimeout(300_000)
    await walkBilling(page, async (name) => {
      await settle(page)
      const widest = await page.evaluate(() =>
        Math.max(
          document.documentElement.scrollWidth,
          ...[...document.querySelectorAll('[role=dialog] > *, [role=alertdialog]')].map((part) => part.scrollWidth),
        ),
      )
      expect(widest, name).toBeLessThanOrEqual(360)
    })
  })
})
