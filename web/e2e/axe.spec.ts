// Every route, in both themes, without an accessibility violation.
import { settle, violations } from './axe'
import { enter, expect, test } from './journey'
import { newPerson } from './person'

const open = ['/', '/signin', '/forgot-password', '/signup', '/verify-email?email=maria@exemplo.com.br', '/reset-password?email=maria@exemplo.com.br', '/termos-legais', '/politica-privacidade', '/termos-lgpd']
const signedIn = ['/dashboard', '/company/create', '/company/manage', '/plans', '/subscriptions', '/payments']

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(`${colorScheme} theme`, () => {
    test.use({ colorScheme, contextOptions: { reducedMotion: 'reduce' } })

    test('the public pages have no violation', async ({ page }) => {
      for (const path of open) {
        await page.goto(path)
        await settle(page)
        expect(await violations(page), path).toEqual([])
      }
    })

    test('the pages of a company have no violation', async ({ page }) => {
      await enter(page, newPerson(), 'Ponto Central')
      for (const path of signedIn) {
        await page.goto(path)
        await settle(page)
        expect(await violations(page), path).toEqual([])
      }
    })

    test('no page is wider than a small phone', async ({ page }) => {
      await page.setViewportSize({ width: 320, height: 640 })
      await enter(page, newPerson(), 'Ponto Central')
      for (const path of [...open.slice(0, 1), ...open.slice(6), ...signedIn]) {
        await page.goto(path)
        await settle(page)
        expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(320)
      }
    })
  })
}
