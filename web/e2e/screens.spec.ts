// A picture of every screen at three widths in both themes, kept in `web/screens` to be looked at one by one.
// Not a check: it runs by `make screens` only.
import type { Browser, Page } from '@playwright/test'
import { fillArea, walkAdmin } from './admin-walk'
import { newCompanyOwnerAt } from './arrival'
import { settle } from './axe'
import { walkBilling } from './billing-walk'
import { walkCompany } from './company-walk'
import { walkFactor } from './factor-walk'
import { expect, plain, test } from './journey'
import { payByPix } from './payment'
import { DEMO_ADMIN, newPerson } from './person'
import { adminPages, companyPages, openPages } from './routes'
import { walkShell } from './shell-walk'
import { walkTrouble } from './trouble-walk'

const wanted = Boolean(process.env.BIPE_SCREENS)
test.skip(!wanted, 'pictures are made by `make screens`')
plain.skip(!wanted, 'pictures are made by `make screens`')
// In this order, on one server; no picture is taken twice.
test.describe.configure({ mode: 'default', retries: 0 })

const widths = [360, 768, 1440]
const HEIGHT = 900
const schemes = ['light', 'dark'] as const

type Storage = Awaited<ReturnType<ReturnType<Page['context']>['storageState']>>

/** Every path in every form, with the session of the storage. */
async function photograph(
  browser: Browser,
  baseURL: string | undefined,
  name: string,
  paths: string[],
  storageState?: Storage,
): Promise<void> {
  for (const colorScheme of schemes) {
    for (const width of widths) {
      const context = await browser.newContext({
        baseURL,
        colorScheme,
        viewport: { width, height: HEIGHT },
        reducedMotion: 'reduce',
        locale: 'pt-BR',
        ...(storageState && { storageState }),
      })
      const page = await context.newPage()
      for (const path of paths) {
        await page.goto(path)
        await page.locator('h1').first().waitFor()
        // Its dialog is a chunk of its own.
        if (path === '/forgot-password') await page.getByRole('dialog').waitFor()
        await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null)
        const file = `${name}${path.replace(/[?=@.#]/g, '-').replaceAll('/', '-')}-${width}-${colorScheme}.png`
        await photographWhole(page, width, file)
        expect(
          await page.evaluate(() => document.documentElement.scrollWidth),
          `${path} at ${width}`,
        ).toBeLessThanOrEqual(width)
      }
      await context.close()
    }
  }
}

/** In a window as high as the page, so that what sticks to the window reaches its end too. */
async function photographWhole(page: Page, width: number, file: string): Promise<void> {
  const height = await page.evaluate(() => document.documentElement.scrollHeight)
  await page.setViewportSize({ width, height: Math.max(HEIGHT, height) })
  await page.screenshot({ path: `screens/${file}` })
  await page.setViewportSize({ width, height: HEIGHT })
}

test('pictures of the public pages', async ({ browser, baseURL }) => {
  test.setTimeout(600_000)
  await photograph(browser, baseURL, 'open', openPages)
})

// Before anybody else signs up: afterwards there is no empty area to see.
test('pictures of the admin area', async ({ page, browser, baseURL }) => {
  test.setTimeout(600_000)
  await page.goto('/signin')
  await page.getByLabel('Email').fill(DEMO_ADMIN.email)
  await page.getByLabel('Senha', { exact: true }).fill(DEMO_ADMIN.password)
  await page.getByRole('button', { name: 'Entrar' }).click()
  await page.waitForURL('/dashboard')
  await photograph(browser, baseURL, 'admin-empty', adminPages, await page.context().storageState())
  await walkAdmin(page, await fillArea(browser), (name) => photographHere(page, `admin-${name}`))
  await photograph(browser, baseURL, 'admin', adminPages, await page.context().storageState())
})

test('pictures of a company before and after its first purchase', async ({ page, browser, baseURL }) => {
  test.setTimeout(600_000)
  await newCompanyOwnerAt(page, newPerson(), 'Ponto Central')
  await photograph(browser, baseURL, 'new', companyPages, await page.context().storageState())
  await payByPix(page, 'Profissional')
  await photograph(
    browser,
    baseURL,
    'paying',
    ['/dashboard', '/plans', '/payments'],
    await page.context().storageState(),
  )
  await page.getByRole('button', { name: 'Aprovar' }).click()
  await expect(page.getByRole('dialog', { name: 'Pagamento Aprovado!' })).toBeVisible()
  await photograph(browser, baseURL, 'active', companyPages, await page.context().storageState())
})

/** What was pressed last is what the picture is about, also where another width has moved it out of sight. */
function showPressed(): void {
  const header = 64
  const pressed = document.activeElement
  if (!pressed?.parentElement?.closest('main')) return
  const { top, bottom } = pressed.getBoundingClientRect()
  if (top < header || bottom > innerHeight) pressed.scrollIntoView({ block: 'center' })
}

/** The page as it stands, in every form. */
async function photographHere(page: Page, name: string, loading = false): Promise<void> {
  const ofToasts = name.endsWith('-toast')
  for (const width of widths) {
    await page.setViewportSize({ width, height: HEIGHT })
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await settle(page, loading)
      await page.evaluate(showPressed)
      await showToasts(page, ofToasts)
      const file = `${name.replaceAll(' ', '-')}-${width}-${colorScheme}.png`
      // What floats over a page belongs to the window; a page by itself is shown to its end.
      if (ofToasts || (await page.locator('[role=dialog], [role=alertdialog], [role=menu]').count()))
        await page.screenshot({ path: `screens/${file}` })
      else await photographWhole(page, width, file)
    }
  }
}

/** The toast of a step before would hide what the picture is of. */
async function showToasts(page: Page, shown: boolean): Promise<void> {
  await page.evaluate(
    (visibility) => {
      for (const toasts of document.querySelectorAll<HTMLElement>('[data-sonner-toaster]'))
        toasts.style.visibility = visibility
    },
    shown ? 'visible' : 'hidden',
  )
}

test('pictures of every step of a subscription', async ({ page }) => {
  test.setTimeout(900_000)
  await walkBilling(page, (name) => photographHere(page, `step-${name}`))
})

test('pictures of the dialogs of company and account', async ({ page, request }) => {
  test.setTimeout(600_000)
  await walkCompany(page, request, (name) => photographHere(page, `company-${name}`))
})

test('pictures of the second factor', async ({ page }) => {
  test.setTimeout(600_000)
  await walkFactor(page, (name) => photographHere(page, `factor-${name}`))
})

plain('pictures of what goes wrong', async ({ page, browser }) => {
  plain.setTimeout(900_000)
  await walkTrouble(page, browser, (name, loading) => photographHere(page, `trouble-${name}`, loading))
})

plain('pictures of what the shell opens', async ({ page, browser }) => {
  plain.setTimeout(900_000)
  await walkShell(page, browser, (name) => photographHere(page, `shell-${name}`))
})
