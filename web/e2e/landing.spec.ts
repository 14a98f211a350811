// The landing page: its sections and prices, its theme, its counter, and what it is without motion and without scripts.
import type { Locator, Page } from '@playwright/test'
import { expect, test } from './journey'

/** What a link to the person's mail program has prepared for them. */
async function draftOf(link: Locator): Promise<Record<string, string>> {
  const { protocol, pathname, searchParams } = new URL((await link.getAttribute('href')) ?? '')
  if (protocol !== 'mailto:') throw new Error(`no mail: ${protocol}`)
  return { to: pathname, ...Object.fromEntries(searchParams) }
}

test('the landing page fetches ahead, leads to its sections and prices, and is printed to be read', async ({
  page,
}) => {
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.goto('/')
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await expectFetchedAhead(page)
  await expectSections(page)
  await expectPrinted(page)

  // What the person has chosen goes before the system, and who asked for no motion gets none.
  await page.evaluate(() => localStorage.setItem('bipe.theme', 'light'))
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.reload()
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light')
  const card = page.getByText('Simulação', { exact: true }).locator('..')
  await expect(card).toContainText('R$ 11.400,00')
  await expect(card.getByRole('button')).toHaveCount(0)

  await expectNoPrices(page)
  await expectSkipLink(page)
})

/** Pointing at a link fetches the code of its page before the click. */
async function expectFetchedAhead(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  const fetched = page.waitForResponse((response) => /\/assets\/.{8}-sign-in\.js$/.test(response.url()))
  await page.getByRole('banner').getByRole('link', { name: 'Entrar' }).hover()
  expect((await fetched).status()).toBe(200)
  expect(new URL(page.url()).pathname).toBe('/')
}

/** They are reached from the header, with the prices on sale. */
async function expectSections(page: Page): Promise<void> {
  for (const [name, id] of [
    ['Solução', 'solucao'],
    ['Benefícios', 'beneficios'],
    ['Preços', 'precos'],
    ['Depoimentos', 'depoimentos'],
    ['Perguntas', 'perguntas'],
  ] as const) {
    await page.getByRole('navigation', { name: 'Seções' }).getByRole('link', { name }).click()
    await expect(page.locator(`#${id}`)).toBeInViewport()
  }
  const popular = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Profissional' }) })
  await expect(popular).toContainText('R$ 99,90')
  await expect(popular).toContainText('Mais Popular')
  await page.getByText('Anual').click()
  await expect(popular).toContainText('cobrado R$ 899,10 por ano')
  await expect
    .poll(() => draftOf(page.getByRole('link', { name: 'Falar com vendas: Enterprise' })))
    .toEqual({ to: 'comercial@bipe.com.br', subject: 'Plano Enterprise' })
  await expect
    .poll(() => draftOf(page.getByRole('link', { name: 'Agendar demonstração' })))
    .toEqual({
      to: 'comercial@bipe.com.br',
      subject: 'Demonstração do Bipe',
      body: 'Nome da empresa:\r\nNúmero de entregadores:\r\nVolume mensal de entregas:\r\n',
    })
}

/** On paper the header covers nothing, and the dark band stays behind its light words. */
async function expectPrinted(page: Page): Promise<void> {
  await page.emulateMedia({ media: 'print' })
  await expect(page.getByRole('banner')).toBeHidden()
  await expect(page.getByRole('main').locator('section').first()).toHaveCSS('-webkit-print-color-adjust', 'exact')
  await page.emulateMedia({ media: null })
}

/** Without prices the section and its link disappear, and nothing else. */
async function expectNoPrices(page: Page): Promise<void> {
  await page.route('**/api/subscriptions/plans', (route) =>
    route.fulfill({ status: 404, contentType: 'application/json', body: '{}' }),
  )
  await page.goto('/')
  await expect(page.getByRole('link', { name: 'Preços' })).toHaveCount(0)
  await expect(page.locator('#precos')).toHaveCount(0)
  await expect(page.getByRole('heading', { name: 'Quem vive disso, bipa' })).toBeVisible()
}

/** It is the first stop of the keyboard and leads to the content. */
async function expectSkipLink(page: Page): Promise<void> {
  await page.goto('/signin')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('Tab')
  const skip = page.getByRole('link', { name: 'Pular para o conteúdo' })
  await expect(skip).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.locator('#content')).toBeFocused()
}

test('the savings count while they are looked at, and stop on demand', async ({ page }) => {
  await page.clock.install()
  await page.goto('/')
  const card = page.getByText('Simulação', { exact: true }).locator('..')
  await card.scrollIntoViewIfNeeded()
  await expect.poll(async () => page.clock.runFor(100).then(() => card.textContent())).not.toContain('R$ 0,00')
  await card.getByRole('button', { name: 'Pausar' }).click()
  const held = await card.textContent()
  await page.clock.runFor(2_000)
  expect(await card.textContent()).toBe(held)
  await card.getByRole('button', { name: 'Continuar' }).click()
  await page.clock.runFor(25_000)
  await expect(card).toContainText('R$ 11.400,00')
  await expect(card.getByRole('button', { name: 'Repetir' })).toBeVisible()
})

test('on paper a section of a legal text stays together', async ({ page }) => {
  await page.goto('/termos-legais')
  await expect(page.getByRole('main').locator('section').first()).toHaveCSS('break-inside', 'avoid')
})

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false })
  test('the landing page can be read and leads to the sign-in', async ({ page }) => {
    await page.goto('/')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Nenhum pacote sem bipe.')
    await expect(page.getByRole('banner').getByRole('link', { name: 'Entrar' })).toHaveAttribute('href', '/signin')
  })
})
