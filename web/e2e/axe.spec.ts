// Every route, in both themes, without an accessibility violation.
import { enter } from './arrival'
import { expectNoViolation, settle } from './axe'
import { walkCompany } from './company-walk'
import { expect, test } from './journey'
import { newPerson } from './person'

const open = ['/', '/signin', '/forgot-password', '/signup', '/verify-email?email=maria@exemplo.com.br', '/reset-password?email=maria@exemplo.com.br', '/termos-legais', '/politica-privacidade', '/termos-lgpd', '/accept-invite?token=x']
const signedIn = ['/dashboard', '/account', '/company/create', '/company/manage', '/plans', '/subscriptions', '/payments']

test.use({ contextOptions: { reducedMotion: 'reduce' } })

test('the public pages have no violation', async ({ page }) => {
  for (const path of open) {
    await page.goto(path)
    // Its dialog comes with code of its own.
    if (path === '/forgot-password') await page.getByRole('dialog', { name: 'Esqueci minha senha' }).waitFor()
    await expectNoViolation(page, path)
  }
})

test('the pages of a company have no violation', async ({ page }) => {
  await enter(page, newPerson(), 'Ponto Central')
  for (const path of signedIn) {
    await page.goto(path)
    await expectNoViolation(page, path)
  }
})

test('the dialogs of company and account have no violation', async ({ page, request }) => {
  test.setTimeout(180_000)
  await walkCompany(page, request, (name) => expectNoViolation(page, name))
})

test('no page is wider than a small phone', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 })
  await enter(page, newPerson(), 'Ponto Central')
  for (const path of [...open.slice(0, 1), ...open.slice(6), ...signedIn]) {
    await page.goto(path)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await settle(page)
      expect(await page.evaluate(() => document.documentElement.scrollWidth), `${path} in ${colorScheme}`).toBeLessThanOrEqual(320)
    }
  }
})
