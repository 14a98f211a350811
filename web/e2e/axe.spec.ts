// Every route, in both themes, without an accessibility violation.
import { paths } from '../src/lib/paths'
import { enter } from './arrival'
import { expectNoViolation, settle } from './axe'
import { walkCompany } from './company-walk'
import { expect, test } from './journey'
import { newPerson } from './person'
import { adminPages, companyPages, openPages } from './routes'

test.use({ contextOptions: { reducedMotion: 'reduce' } })

test('the public pages have no violation', async ({ page }) => {
  for (const path of openPages) {
    await page.goto(path)
    // Its dialog comes with code of its own.
    if (path === '/forgot-password') await page.getByRole('dialog', { name: 'Esqueci minha senha' }).waitFor()
    await expectNoViolation(page, path)
  }
})

test('the pages of a company have no violation', async ({ page }) => {
  await enter(page, newPerson(), 'Ponto Central')
  for (const path of companyPages) {
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
  const look = async (path: string) => {
    await page.goto(path)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await settle(page)
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth),
        `${path} in ${colorScheme}`,
      ).toBeLessThanOrEqual(320)
    }
  }
  for (const path of openPages) await look(path)
  await enter(page, newPerson(), 'Ponto Central')
  for (const path of companyPages) await look(path)
})

test('every address of the app is among the pages that are looked at', () => {
  const listed = [...openPages, ...companyPages, ...adminPages].map((path) => path.split(/[?#]/)[0])
  // The area's own address leads to its first page.
  const known = Object.values(paths).filter((path) => path !== paths.admin)
  expect(new Set(listed)).toEqual(new Set(known))
})
