// The platform admin's pages and sheets, in both themes, without an accessibility violation and on a small phone.
import { enterAdmin } from './admin'
import { walkAdmin } from './admin-walk'
import { expectNoViolation, openOnAPhone } from './axe'
import { test } from './journey'
import { adminPages } from './routes'

test.use({ contextOptions: { reducedMotion: 'reduce' } })

test('the pages of the admin area have no violation', async ({ page }) => {
  test.setTimeout(180_000)
  await enterAdmin(page)
  for (const path of adminPages) {
    await openOnAPhone(page, path)
    await expectNoViolation(page, path)
  }
})

test('the sheets, questions and menus of the admin area have no violation', async ({ page, browser }) => {
  test.setTimeout(300_000)
  await walkAdmin(page, browser, (name) => expectNoViolation(page, name))
})
