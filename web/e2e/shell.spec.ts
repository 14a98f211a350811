// The shell around every signed-in page: the command palette and shortcuts, colours of the person's own, a page before
// its code is there, the bell. What it says without network, after a new build and when code does not arrive is on the
// way of `shell-walk.ts` and `trouble-walk.ts`.
import type { Locator, Page } from '@playwright/test'
import { newCompanyOwner, newCompanyOwnerAt } from './arrival'
import { expect, test } from './journey'
import { waitUntilLive } from './people'
import { newPerson } from './person'
import { addCompany } from './setup'
import { expectCompany } from './sizes'

const paletteOf = (page: Page): Locator => page.getByRole('dialog', { name: 'O que você quer fazer?' })

test('command palette and shortcuts lead anywhere and do what the person may do, by keyboard alone', async ({
  page,
}) => {
  await newCompanyOwner(page, newPerson(), 'Expedição Norte')
  await addCompany(page, 'Ponto Central')
  await expectTypedBeforeItArrives(page)
  const palette = paletteOf(page)
  await page.keyboard.type('trocar ponto')
  await expect(palette.getByRole('button', { name: 'Ponto Central' })).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: /Empresa atual: Ponto Central/ })).toBeVisible()

  await page.keyboard.press('Control+k')
  await page.keyboard.type('nada disso')
  await expect(palette.getByText('Nada encontrado')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(palette).toBeHidden()

  await page.keyboard.press('Control+k')
  await page.keyboard.type('convidar')
  await expect(palette.getByRole('button', { name: 'Convidar Usuário' })).toBeVisible()
  await page.keyboard.press('Enter')
  const invitation = page.getByRole('dialog', { name: 'Adicionar Usuário' })
  await expect(invitation).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(invitation).toBeHidden()
  await waitUntilLive(page)
  await expectShortcuts(page)
  await expectToldApart(page)

  await page.keyboard.press('Control+k')
  await page.keyboard.type('pausar')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Conexão: Pausado' })).toBeVisible()
  await page.getByRole('button', { name: 'Buscar (Ctrl+K)' }).click()
  await page.keyboard.type('tema escuro')
  await page.keyboard.press('Enter')
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
})

/** What is typed before the palette has arrived is in its field. Leaves it open and empty. */
async function expectTypedBeforeItArrives(page: Page): Promise<void> {
  let arrive = () => {}
  const arrival = new Promise<void>((resolve) => (arrive = resolve))
  const code = '**/assets/*-command-palette.js'
  await page.route(code, async (route) => {
    await arrival
    await route.continue()
  })
  await page.goto('/dashboard')
  await expectCompany(page, 'Expedição Norte')
  await page.getByRole('button', { name: 'Buscar (Ctrl+K)' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('pagamenx')
  await page.keyboard.press('Backspace')
  arrive()
  const palette = paletteOf(page)
  const field = palette.getByRole('textbox')
  await expect(field).toBeFocused()
  await expect(field).toHaveValue('pagamen')
  await page.keyboard.type('tos')
  await expect(field).toHaveValue('pagamentos')
  await page.keyboard.press('Enter')
  await page.waitForURL('/payments')
  await expect(palette).toBeHidden()
  await page.unroute(code)

  await page.keyboard.press('Control+k')
  await expect(field).toBeFocused()
  await expect(field).toHaveValue('')
}

/** They lead to pages, pause what moves and list themselves. Leaves the page of the plans. */
async function expectShortcuts(page: Page): Promise<void> {
  await page.keyboard.press('Alt+Shift+P')
  await page.waitForURL('/plans')
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
  await page.keyboard.press('Alt+Shift+U')
  await expect(page.getByRole('button', { name: 'Conexão: Pausado' })).toBeVisible()
  await page.keyboard.press('Alt+Shift+U')
  await waitUntilLive(page)

  await page.keyboard.press('Control+/')
  const list = page.getByRole('dialog', { name: 'Atalhos de teclado' })
  await expect(list.getByText('Gerenciar Empresa')).toBeVisible()
  // Under an open dialog nothing moves.
  await page.keyboard.press('Alt+Shift+G')
  await expect(list).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(list).toBeHidden()
  expect(new URL(page.url()).pathname).toBe('/plans')

  await page.keyboard.press('Control+k')
  await expect(paletteOf(page).getByRole('textbox')).toBeFocused()
  await page.keyboard.type('atalhos')
  await page.keyboard.press('Enter')
  await expect(list).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(list).toBeHidden()
}

/** Where the colours are the ones of the person, places and choices stay told apart, and a dialog has an edge. */
async function expectToldApart(page: Page): Promise<void> {
  await page.emulateMedia({ forcedColors: 'active' })
  const colorOf = (part: Locator) => part.evaluate((element) => getComputedStyle(element).backgroundColor)
  const link = (name: string) => page.getByRole('navigation', { name: 'Principal' }).getByRole('link', { name })
  expect(await colorOf(link('Planos'))).not.toBe(await colorOf(link('Faturas')))
  const cycle = (name: string) => page.locator('label').filter({ hasText: name })
  expect(await colorOf(cycle('Mensal'))).not.toBe(await colorOf(cycle('Anual')))
  // What other pages have: what is new, a tab, a chip.
  for (const [name, value] of [
    ['class', 'bg-beam'],
    ['aria-selected', 'true'],
    ['aria-pressed', 'true'],
  ] as const) {
    expect(await colorOfMark(page, name, value)).toBe(await colorOf(link('Planos')))
  }
  await page.keyboard.press('Control+k')
  const palette = paletteOf(page)
  await palette.waitFor()
  expect(await palette.evaluate((element) => getComputedStyle(element).borderTopWidth)).toBe('1px')
  await page.keyboard.type('pag')
  // What Enter runs.
  const found = palette.getByRole('button', { name: 'Pagamentos' })
  await expect(found).toHaveCSS('outline-style', 'solid')
  await expect(palette.getByRole('status')).toContainText('Enter: Pagamentos')
  await page.keyboard.press('Escape')
  await palette.waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: /Menu de / }).click()
  const first = page.getByRole('menuitem').first()
  await page.keyboard.press('ArrowDown')
  await expect(first).toBeFocused()
  expect(await first.evaluate((element) => getComputedStyle(element).outlineStyle)).toBe('solid')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('menu')).toBeHidden()
  await page.emulateMedia({ forcedColors: 'none' })
}

function colorOfMark(page: Page, name: string, value: string): Promise<string> {
  return page.evaluate(
    ([name, value]) => {
      const mark = document.body.appendChild(document.createElement('i'))
      mark.setAttribute(name, value)
      const { backgroundColor } = getComputedStyle(mark)
      mark.remove()
      return backgroundColor
    },
    [name, value] as const,
  )
}

test('a page has its shape and asks early before its code is there; the open bell stays when the page below changes', async ({
  page,
}) => {
  await newCompanyOwnerAt(page, newPerson(), 'Ponto Central')
  await waitUntilLive(page)
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  const code = /\/assets\/.{8}-(base|entry)\.js$/
  await page.route(code, async (route) => {
    await held
    await route.continue()
  })
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    const first = /^\/api\/(auth|companies|subscriptions)(\/me|\/company\/[^/]+)?$/.exec(pathname)
    if (first?.[1]) asked.push(first[1])
  })
  await page.reload({ waitUntil: 'commit' })
  await expect(page.locator('.signed-out')).toBeHidden()
  await expect(page.locator('.signed-in').getByText('bipe')).toBeVisible()
  await expect.poll(() => asked.toSorted()).toEqual(['auth', 'companies', 'subscriptions'])
  release()
  await waitUntilLive(page)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Dashboard')
  expect(asked.toSorted()).toEqual(['auth', 'companies', 'subscriptions'])
  await page.unroute(code)
  await expectBellStays(page)
})

async function expectBellStays(page: Page): Promise<void> {
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route(/\/assets\/.{8}-subscriptions\.js$/, async (route) => {
    await held
    await route.continue()
  })
  await page.getByRole('link', { name: 'Assinaturas' }).click()
  await page.getByRole('button', { name: /^Notificações/ }).click()
  const list = page.getByRole('dialog', { name: 'Notificações' })
  await expect(list).toBeVisible()
  release()
  // The new page sets its title just before the focus would move to its h1.
  await expect(page).toHaveTitle('Assinaturas · Bipe')
  await expect(list).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(list).toBeHidden()
  await expect(page.getByRole('button', { name: /^Notificações/ })).toBeFocused()
}
