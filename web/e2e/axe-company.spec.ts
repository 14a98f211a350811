// Every dialog of company and account, in both themes, without an accessibility violation. The pages below them are
// looked at in `pages.spec.ts`.
import { expectNoViolation } from './axe'
import { walkCompany } from './company-walk'
import { test } from './journey'

test.use({ contextOptions: { reducedMotion: 'reduce' } })

test('the dialogs of company and account have no violation', async ({ page, request }) => {
  test.setTimeout(180_000)
  await walkCompany(page, request, (name) => expectNoViolation(page, name))
})
