// A walk through everything that the signed-in shell opens over a page: menus, panels, banners, and the questions that
// it asks. Whoever walks stops at each of them: to look for accessibility violations, or to take a picture.
import { expect, type Browser, type Page } from '@playwright/test'
import { newCompanyOwner } from './arrival'
import { createCompany } from './journey'
import { closeOverlays, newBrowserPage, waitUntilLive } from './people'
import { newPerson } from './person'
import { addMember } from './setup'

const OFFLINE = 'Você está sem internet. Os dados podem estar desatualizados.'

type Stop = (name: string) => Promise<void>

/** Signs in as somebody with a company of their own who is also in another's. */
export async function walkShell(page: Page, browser: Browser, at: Stop): Promise<void> {
  const [ana, maria] = [newPerson('Ana Souza'), newPerson()]
  await newCompanyOwner(page, ana, 'Ponto da Ana')
  const theirs = await newBrowserPage(browser)
  await newCompanyOwner(theirs, maria, 'Ponto da Maria')
  await addMember(theirs, ana.email, 'admin')
  await theirs.context().close()

  await walkPhone(page, at)
  await walkPanels(page, at)
  await walkQuestions(page, at)
  await walkBanners(page, at)
}

/** On a phone the navigation is a sheet. */
async function walkPhone(page: Page, at: Stop): Promise<void> {
  const before = page.viewportSize()
  await page.goto('/dashboard')
  await page.setViewportSize({ width: 360, height: 740 })
  await page.getByRole('button', { name: 'Abrir menu' }).click()
  await page.getByRole('dialog', { name: 'Menu' }).waitFor()
  await at('navigation')
  await closeOverlays(page)
  if (before) await page.setViewportSize(before)
}

async function walkPanels(page: Page, at: Stop): Promise<void> {
  await waitUntilLive(page)
  const close = () => page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'O que você quer fazer?' }).waitFor()
  await at('command palette')
  await close()
  await page.keyboard.press('Control+/')
  await page.getByRole('dialog', { name: 'Atalhos de teclado' }).waitFor()
  await at('shortcuts')
  await close()
  await page.getByRole('button', { name: /^Empresa atual:/ }).click()
  await page.getByRole('menuitem', { name: /Ponto da Maria/ }).waitFor()
  await at('company menu')
  await close()
  await page.getByRole('button', { name: /Menu de Ana Souza/ }).click()
  await page.getByRole('menuitem', { name: 'Minha Conta' }).waitFor()
  await at('user menu')
  await close()
  await page.getByRole('button', { name: /^Conexão:/ }).click()
  await page.getByRole('dialog', { name: 'Conexão em tempo real' }).waitFor()
  await at('connection')
  await close()
  await createCompany(page, 'Ponto Novo')
  // A toast that is pointed at stays.
  await page.getByText('Empresa criada com sucesso!').first().hover()
  await at('toast')
  await page.getByRole('button', { name: /^Notificações/ }).click()
  await page.getByRole('dialog', { name: 'Notificações' }).getByText('Empresa criada com sucesso!').waitFor()
  await at('bell')
  await close()
}

async function walkQuestions(page: Page, at: Stop): Promise<void> {
  await page.goto('/company/create')
  await page.getByLabel('Nome da Empresa').fill('Ponto inacabado')
  await page.getByRole('link', { name: 'Planos' }).first().click()
  await page.getByRole('alertdialog', { name: 'Sair sem salvar?' }).waitFor()
  await at('unsaved changes')
  await page.getByRole('alertdialog').getByRole('button').last().click()
  await page.waitForURL('/plans')
  await page.getByRole('button', { name: /^Empresa atual:/ }).click()
  await page.getByRole('menuitem', { name: /Ponto da Maria/ }).click()
  await page.getByRole('link', { name: 'Gerenciar Empresa' }).first().click()
  await page.getByRole('button', { name: 'Sair da empresa' }).click()
  await page.getByRole('alertdialog', { name: /^Sair da empresa/ }).waitFor()
  await at('leaving a company')
  await page.keyboard.press('Escape')
  // Held there: whoever takes pictures may need longer than a session has left.
  const hold = await page.evaluate(() =>
    setInterval(() => localStorage.setItem('bipe.lastActivity', String(Date.now() - 3_550_000)), 200),
  )
  await page.getByRole('alertdialog', { name: /Sua sessão vai expirar/ }).waitFor()
  await at('session about to end')
  await page.evaluate((timer) => clearInterval(timer), hold as unknown as number)
  await page.getByRole('button', { name: 'Continuar conectado' }).click()
}

async function walkBanners(page: Page, at: Stop): Promise<void> {
  await waitUntilLive(page)
  await page.route('**/api/config', (route) => route.fulfill({ json: { success: true, data: { version: '9.9.9' } } }))
  await page.context().setOffline(true)
  await page.getByText(OFFLINE).waitFor()
  await expect(page.getByRole('button', { name: 'Conexão: Offline' })).toBeVisible()
  await expect(page.getByRole('heading', { level: 1, name: 'Ponto da Maria' })).toBeVisible()
  await at('offline')
  // Code that does not arrive leaves the shell as it is, and comes by itself with the network.
  await page.getByRole('button', { name: /^Notificações/ }).click()
  const bell = page.getByRole('dialog', { name: 'Notificações' })
  await expect(bell.getByText('Erro de conexão. Verifique sua internet')).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByRole('navigation', { name: 'Principal' }).getByRole('link', { name: 'Assinaturas' }).click()
  await expect(page.getByRole('main').getByText('Erro de conexão. Verifique sua internet')).toBeVisible()
  await expect(page.getByText(OFFLINE)).toBeVisible()
  await page.context().setOffline(false)
  await expect(page.getByRole('heading', { level: 1, name: 'Assinaturas' })).toBeVisible()
  await waitUntilLive(page)
  await expect(page.getByText(OFFLINE)).toHaveCount(0)
  await page.getByText('Nova versão disponível').waitFor()
  await at('new version')
  const navigated = page.waitForEvent('load')
  await page.getByRole('button', { name: 'Recarregar' }).click()
  await navigated
  await waitUntilLive(page)
  await expect(page.getByText('Nova versão disponível')).toHaveCount(0)
  await page.unroute('**/api/config')
  await page.goto('/admin/dashboard')
  await page.getByRole('heading', { name: 'Acesso Negado' }).waitFor()
  await at('denied')
}
