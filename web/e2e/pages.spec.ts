// Every page, at a desk and on a phone, in one load of each: nothing that a person already sees moves while the answers
// of the API come slowly and one after the other; then nothing is wider than a small phone, and at the desk there is no
// accessibility violation in either theme. Both sizes wait at the same time.
import type { Browser, Page } from '@playwright/test'
import { paths } from '../src/lib/paths'
import { fillArea, walkAdmin } from './admin-walk'
import { newCompanyOwner, signIn } from './arrival'
import { expectNoViolation, expectToFitASmallPhone } from './axe'
import { expect, test } from './journey'
import { openStill, watchMoves } from './moves'
import { newBrowserPage } from './people'
import { DEMO_ADMIN, newPerson } from './person'
import { adminPages, companyPages, openPages } from './routes'
import { subscribe } from './setup'
import { PHONE } from './sizes'

/** Pages that are the same whatever the company holds. */
const OF_NO_SUBSCRIPTION = ['/account', '/company/create']

test('the open pages stand still while they load, fit a phone and have no violation', async ({ page, browser }) => {
  const phone = await onAPhone(browser)
  await watchMoves([page, phone])
  await lookAt(page, phone, openPages)
})

test("a company's pages stand still, fit a phone and have no violation, and stand still whatever it holds", async ({
  page,
  browser,
}) => {
  test.setTimeout(480_000)
  const [person, phone] = [newPerson(), await onAPhone(browser)]
  await newCompanyOwner(page, person, 'Ponto Sul')
  await signIn(phone, person)
  await watchMoves([page, phone])
  await lookAt(page, phone, companyPages)
  await subscribe(page, 'Essencial')
  const others = companyPages.filter((path) => !OF_NO_SUBSCRIPTION.includes(path))
  for (const path of others) await Promise.all([page, phone].map((size) => openStill(size, path)))
})

test("the admin's pages stand still and fit a phone, and neither they nor what they open has a violation", async ({
  page,
  context,
  browser,
}) => {
  test.setTimeout(600_000)
  const [company, phone] = [await fillArea(browser), await onAPhone(browser)]
  for (const size of [page, phone]) await signIn(size, DEMO_ADMIN)
  await watchMoves([page, phone])
  await lookAt(page, phone, adminPages)
  await phone.context().close()

  // Its answers come as soon as they can.
  const walker = await context.newPage()
  await page.close()
  await walker.emulateMedia({ reducedMotion: 'reduce' })
  await walkAdmin(walker, company, (name) => expectNoViolation(walker, name))
})

test('every address of the app is among the pages that are looked at', () => {
  const listed = [...openPages, ...companyPages, ...adminPages].map((path) => path.split(/[?#]/)[0])
  // The area's own address leads to its first page.
  const known = Object.values(paths).filter((path) => path !== paths.admin)
  expect(new Set(listed)).toEqual(new Set(known))
})

/** In a browser of its own, so that neither page is behind the other one. */
function onAPhone(browser: Browser): Promise<Page> {
  return newBrowserPage(browser, { viewport: PHONE })
}

/** Neither page is looked at while the other one still loads: that would hold up its connection. */
async function lookAt(desk: Page, phone: Page, paths: string[]): Promise<void> {
  for (const path of paths) {
    await Promise.all([desk, phone].map((page) => openWhole(page, path)))
    await Promise.all([expectNoViolationHere(desk, path), expectToFitASmallPhone(phone, path)])
  }
}

/** Less motion is asked for only now: until here whatever moves of itself does so. */
async function expectNoViolationHere(page: Page, path: string): Promise<void> {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await expectNoViolation(page, path)
  await page.emulateMedia({ reducedMotion: 'no-preference' })
}

async function openWhole(page: Page, path: string): Promise<void> {
  await openStill(page, path)
  // Its dialog is a chunk of its own.
  if (path === '/forgot-password') await page.getByRole('dialog', { name: 'Esqueci minha senha' }).waitFor()
}
