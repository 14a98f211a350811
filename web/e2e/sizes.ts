// The two sizes at which the flows of accounts and companies run: a desk, and a phone of 360 px on which nothing may
// be wider than the screen, at no moment of the flow. On the phone the navigation is behind a button.
import { expect, test, type BrowserContext, type Page } from '@playwright/test'

export const PHONE = { width: 360, height: 740 }
/** Below it the navigation is a sheet. */
export const RAIL = 768

/** For flows whose steps are the same at either size: on a phone the width of every moment is watched as well. */
export function onAPhone(flows: () => void): void {
  test.describe('on a phone of 360 px', () => {
    test.use({ viewport: PHONE, hasTouch: true })
    flows()
  })
}

/** Has every page of the context say on its console what is wider than the screen; the journey's test then fails. */
export async function watchWidth(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const told = new Set<string>()
    const look = () => {
      // Nobody sees a page before its style sheets are there.
      const sheets = document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')
      if (document.readyState === 'loading' || [...sheets].some(({ sheet }) => sheet === null)) return
      const parts = document.querySelectorAll('html, [role=dialog], [role=alertdialog]')
      // Widths are rounded: a dialog of 328.4 px may hold 329.
      for (const part of [...parts].filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)) {
        const sentence = `wider than the screen: ${location.pathname}, ${part.tagName} of ${part.scrollWidth} px`
        if (!told.has(sentence)) console.error(sentence)
        told.add(sentence)
      }
    }
    setInterval(look, 100)
  })
}

function isWide(page: Page): boolean {
  return (page.viewportSize()?.width ?? RAIL) >= RAIL
}

/** Shows the navigation, lets the work use it, and puts it away when that did not lead elsewhere. */
export async function withNavigation(page: Page, work: () => Promise<void>): Promise<void> {
  if (isWide(page)) return work()
  const sheet = page.getByRole('dialog', { name: 'Menu' })
  await page.getByRole('button', { name: 'Abrir menu' }).click()
  await sheet.waitFor()
  await work()
  if (await sheet.isVisible()) await page.keyboard.press('Escape')
  await expect(sheet).toBeHidden()
}

/** To another page by the navigation, as people go there: the app is not loaded anew. */
export async function goTo(page: Page, name: string): Promise<void> {
  const link = page.getByRole('navigation', { name: 'Principal' }).getByRole('link', { name, exact: true })
  let path: string | null = null
  await withNavigation(page, async () => {
    path = await link.getAttribute('href')
    await link.click()
  })
  await page.waitForURL(({ pathname }) => pathname === path)
  // Told by the link at the moment when the page is drawn, which the address precedes.
  if (isWide(page)) await expect(link).toHaveAttribute('aria-current', 'page')
}

export async function expectCompany(page: Page, name: string): Promise<void> {
  await withNavigation(page, () => expect(page.getByRole('button', { name: `Empresa atual: ${name}` })).toBeVisible())
}
