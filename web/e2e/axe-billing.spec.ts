// Every screen and dialog of plans, subscriptions and payments, in both themes, without an accessibility violation, and
// on a small phone without anything wider than it.
import { expectNoViolation, expectToFitAPhone } from './axe'
import { walkBilling } from './billing-walk'
import { test } from './journey'

test.use({ contextOptions: { reducedMotion: 'reduce' } })

test('no step of a subscription has a violation or is wider than a phone', async ({ page }) => {
  test.setTimeout(300_000)
  await walkBilling(page, async (name) => {
    await expectNoViolation(page, name)
    await expectToFitAPhone(page, name)
  })
})
