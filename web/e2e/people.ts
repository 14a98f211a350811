// Several people at once: each in a browser context of their own.
import { expect, type APIRequestContext, type Browser, type Page } from '@playwright/test'
import { signInAt, newUserAt, registerVerified } from './arrival'
import { mailbox, newPerson, SOON, type Person } from './person'
import { addMember } from './setup'

/** A page in a browser of its own. */
export async function newBrowserPage(
  browser: Browser,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Page> {
  const context = await browser.newContext(options)
  return context.newPage()
}

/** A new person, signed in in a browser of their own, and live. */
export async function newUserInNewBrowser(browser: Browser, name: string): Promise<{ person: Person; page: Page }> {
  const person = newPerson(name)
  const page = await newBrowserPage(browser)
  await newUserAt(page, person)
  await waitUntilLive(page)
  return { person, page }
}

/** A new member of the company that the first page has selected, signed in at the path in a browser of their own. */
export async function newMemberInNewBrowser(
  page: Page,
  browser: Browser,
  who: { name: string; role: Parameters<typeof addMember>[2]; path: string },
): Promise<{ person: Person; page: Page }> {
  const person = newPerson(who.name)
  const theirs = await newBrowserPage(browser)
  await registerVerified(page.request, person)
  await addMember(page, person.email, who.role)
  await signInAt(theirs, person, who.path)
  return { person, page: theirs }
}

/** Waits until the page hears of what happens. */
export async function waitUntilLive(page: Page): Promise<void> {
  await expect(page.getByRole('button', { name: 'Conexão: Ao vivo' })).toBeVisible({ timeout: 45_000 })
}

/** Escape until nothing is open over the page. Nothing may have been typed there, or the page would ask. */
export async function closeOverlays(page: Page): Promise<void> {
  const open = page.locator('[role=dialog], [role=alertdialog]')
  for (let left = await open.count(); left > 0; left -= 1) {
    await page.keyboard.press('Escape')
    await expect(open).toHaveCount(left - 1)
  }
}

/** Adds the address with the role, on the open page of the company. */
export async function addUser(page: Page, email: string, role = 'Operador'): Promise<void> {
  await page.getByRole('button', { name: 'Adicionar Usuário' }).click()
  const dialog = page.getByRole('dialog', { name: 'Adicionar Usuário' })
  await dialog.getByLabel('Email').fill(email)
  await dialog.getByLabel('Papel').selectOption({ label: role })
  await dialog.getByRole('button', { name: 'Adicionar', exact: true }).click()
}

/** The row of a person in the company's table. */
export function memberRow(page: Page, name: string) {
  return page.getByRole('table', { name: 'Usuários da empresa' }).getByRole('row').filter({ hasText: name })
}

/** The address of the newest mail's link whose path starts so; waits for the mail. */
export async function linkFor(request: APIRequestContext, address: string, path: string): Promise<string> {
  let link: string | undefined
  await expect
    .poll(async () => {
      const links = (await mailbox(request, address))
        .flatMap(({ text }) => text.split(/\s+/))
        .filter((word) => word.includes(path))
      link = links.find((word) => URL.canParse(word))
      return link
    }, SOON)
    .toBeDefined()
  const url = new URL(link ?? '')
  return url.pathname + url.search + url.hash
}
