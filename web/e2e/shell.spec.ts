// The shell around every signed-in page: shortcuts, the bell, what it says without network or after a new build, and
// the page of last resort. Where the browser itself logs what a journey provokes, the page need not stay clean.
import type { Locator, Page } from '@playwright/test'
import { newCompanyOwnerAt, newUserAt } from './arrival'
import { createCompany, expect, plain, test } from './journey'
import { waitUntilLive } from './people'
import { newPerson } from './person'
import { onAPhone } from './sizes'

test('shortcuts lead to pages, pause what moves and list themselves', async ({ page }) => {
  await newCompanyOwnerAt(page, newPerson(), 'Ponto Central')
  await waitUntilLive(page)
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
  await expect(page.getByRole('dialog', { name: 'O que você quer fazer?' }).getByRole('textbox')).toBeFocused()
  await page.keyboard.type('atalhos')
  await page.keyboard.press('Enter')
  await expect(list).toBeVisible()
})

test('the open bell stays open when the page below it changes', async ({ page }) => {
  await newCompanyOwnerAt(page, newPerson(), 'Ponto Central')
  await waitUntilLive(page)
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
})

onAPhone(() => {
  test('the bell keeps what a toast has said, and is not covered by it', async ({ page }) => {
    await newUserAt(page, newPerson())
    await createCompany(page, 'Ponto Central')
    await page.getByRole('button', { name: 'Notificações, 1 nova' }).click()
    await expect(
      page.getByRole('dialog', { name: 'Notificações' }).getByText('Empresa criada com sucesso!'),
    ).toBeVisible()
    await expect(page.locator('[data-sonner-toast]')).toHaveCount(0)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('button', { name: 'Notificações', exact: true })).toBeFocused()
  })
})

test('a page has its shape, and asks for what it shows first, before its code is there', async ({ page }) => {
  await newCompanyOwnerAt(page, newPerson(), 'Ponto Central')
  await waitUntilLive(page)
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route(/\/assets\/.{8}-(base|entry)\.js$/, async (route) => {
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
})

plain('a page without network says so, and a newer build is offered once it is back', async ({ page, context }) => {
  const thrown: Error[] = []
  page.on('pageerror', (error) => thrown.push(error))
  await newCompanyOwnerAt(page, newPerson(), 'Ponto Central')
  await waitUntilLive(page)
  await page.route('**/api/config', (route) => route.fulfill({ json: { success: true, data: { version: '9.9.9' } } }))
  await context.setOffline(true)
  await expect(page.getByText('Você está sem internet. Os dados podem estar desatualizados.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Conexão: Offline' })).toBeVisible()
  await expect(
    page.getByRole('heading', { name: 'Ponto Central' }).or(page.getByText('Ponto Central')).first(),
  ).toBeVisible()
  // Code that does not arrive leaves the shell as it is, and comes by itself with the network.
  await page.getByRole('button', { name: /^Notificações/ }).click()
  const bell = page.getByRole('dialog', { name: 'Notificações' })
  await expect(bell.getByText('Erro de conexão. Verifique sua internet')).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Planos', exact: true }).click()
  await expect(page.getByRole('main').getByText('Erro de conexão. Verifique sua internet')).toBeVisible()
  await expect(page.getByText('Você está sem internet. Os dados podem estar desatualizados.')).toBeVisible()
  await context.setOffline(false)
  await expect(page.getByRole('heading', { level: 1, name: 'Planos e Assinaturas' })).toBeVisible()
  expect(thrown).toEqual([])
  await waitUntilLive(page)
  await expect(page.getByText('Você está sem internet')).toHaveCount(0)
  await expect(page.getByText('Nova versão disponível')).toBeVisible()
  const navigated = page.waitForEvent('load')
  await page.getByRole('button', { name: 'Recarregar' }).click()
  await navigated
  await waitUntilLive(page)
  await expect(page.getByText('Nova versão disponível')).toHaveCount(0)
})

plain('a screen whose code does not arrive says so with a request id, and a reload heals it', async ({ page }) => {
  await newCompanyOwnerAt(page, newPerson(), 'Ponto Central')
  await page.route(/\/assets\/.{8}-subscriptions\.js$/, (route) => route.abort())
  await page.getByRole('link', { name: 'Assinaturas' }).click()
  await expect(page.getByRole('heading', { name: 'Algo deu errado' })).toBeVisible()
  await page.getByText('Detalhes').click()
  await expect(page.getByText(/· \S{8,}/)).toBeVisible()
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Recarregar' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Assinaturas' })).toBeVisible()
})

test('where the colours are the ones of the person, places and choices stay told apart, and a dialog has an edge', async ({
  page,
}) => {
  await newCompanyOwnerAt(page, newPerson(), 'Ponto das Cores', '/plans')
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
  const palette = page.getByRole('dialog', { name: 'O que você quer fazer?' })
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
})

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
