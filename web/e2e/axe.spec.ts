// Every route, in both themes, without an accessibility violation and not wider than a small phone.
import { paths } from '../src/lib/paths'
import { newCompanyOwner } from './arrival'
import { expectNoViolation, openOnAPhone } from './axe'
import { walkCompany } from './company-walk'
import { expect, test } from './journey'
import { newPerson } from './person'
import { adminPages, companyPages, openPages } from './routes'

test.use({ contextOptions: { reducedMotion: 'reduce' } })

test('the public pages have no violation', async ({ page }) => {
  for (const path of openPages) {
    await openOnAPhone(page, path)
    // Its dialog is a chunk of its own.
    if (path === '/forgot-password') await page.getByRole('dialog', { name: 'Esqueci minha senha' }).waitFor()
    await expectNoViolation(page, path)
  }
})

test('the pages of a company have no violation', async ({ page }) => {
  await newCompanyOwner(page, newPerson(), 'Ponto Central')
  for (const path of companyPages) {
    await openOnAPhone(page, path)
    await expectNoViolation(page, path)
  }
})

test('the dialogs of company and account have no violation', async ({ page, request }) => {
  test.setTimeout(180_000)
  await walkCompany(page, request, (name) => expectNoViolation(page, name))
})

test('every address of the app is among the pages that are looked at', () => {
  const listed = [...openPages, ...companyPages, ...adminPages].map((path) => path.split(/[?#]/)[0])
  // The area's own address leads to its first page.
  const known = Object.values(paths).filter((path) => path !== paths.admin)
  expect(new Set(listed)).toEqual(new Set(known))
})
