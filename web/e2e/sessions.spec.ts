// The account's own page and its sessions: data, deletion; sessions that end elsewhere and by idleness; one refresh for
// all tabs. That a reset ends them is held by the journey of a forgotten password.
import type { Page } from '@playwright/test'
import { signInAt, newCompanyOwnerAt, newUserAt } from './arrival'
import { expect, test } from './journey'
import { newBrowserPage, waitUntilLive, newUserInNewBrowser } from './people'
import { newPerson, type Person } from './person'
import { onAPhone } from './sizes'

const EXPIRED = 'Sessão expirada. Faça login novamente.'

/** A new person, signed in, at the path. */
async function welcome(page: Page, path?: string): Promise<Person> {
  const person = newPerson()
  await newUserAt(page, person, path)
  return person
}

async function openAccount(page: Page, person: Person): Promise<void> {
  await page.getByRole('button', { name: `Menu de ${person.name}` }).click()
  await page.getByRole('menuitem', { name: 'Minha Conta' }).click()
  await expect(page.getByRole('heading', { name: 'Minha Conta', level: 1 })).toBeVisible()
}

onAPhone(() => {
  test('a person changes name and phone, and deletes the account with the password: it is gone', async ({ page }) => {
    const person = newPerson()
    await newCompanyOwnerAt(page, person, 'Ponto Só Meu')
    await openAccount(page, person)
    // These are only shown.
    await expect(page.getByLabel('Email', { exact: true })).toHaveAttribute('readonly', '')
    await expect(page.getByLabel('CPF')).toHaveValue(/^\d{3}\.\d{3}\.\d{3}-\d{2}$/)
    await expect(page.getByRole('button', { name: 'Salvar' })).toBeDisabled()
    await page.getByLabel('Nome Completo').fill('M')
    await page.getByLabel('Telefone').fill('123')
    await page.getByRole('button', { name: 'Salvar' }).click()
    await expect(page.getByText('Nome deve ter pelo menos 2 caracteres')).toBeVisible()
    await expect(page.getByText('Telefone inválido')).toBeVisible()
    await page.getByLabel('Nome Completo').fill('Maria Helena Silva')
    await page.getByLabel('Telefone').fill('21912345678')
    await page.getByRole('button', { name: 'Salvar' }).click()
    await expect(page.getByText('Dados atualizados com sucesso!')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Menu de Maria Helena Silva' })).toBeVisible()
    await page.reload()
    await expect(page.getByLabel('Telefone')).toHaveValue('(21) 91234-5678')

    await page.getByRole('button', { name: 'Excluir minha conta' }).click()
    const question = page.getByRole('alertdialog', { name: 'Excluir minha conta?' })
    const act = question.getByRole('button', { name: 'Excluir minha conta' })
    await expect(act).toBeDisabled()
    await expect(question.getByText(/^Faturas e recibos do que você pagou são mantidos com o seu nome/)).toBeVisible()
    await question.getByLabel('Senha', { exact: true }).fill('Errada#2026')
    await act.click()
    await expect(question.getByText('Senha incorreta')).toBeVisible()
    await question.getByLabel('Senha', { exact: true }).fill(person.password)
    await act.click()
    await page.waitForURL(/\/signin/)
    await expect(page.getByText('Sua conta foi excluída.')).toBeVisible()
    await expect(page.getByText(EXPIRED)).toHaveCount(0)
    await page.getByLabel('Email').fill(person.email)
    await page.getByLabel('Senha', { exact: true }).fill(person.password)
    await page.getByRole('button', { name: 'Entrar' }).click()
    await expect(page.getByRole('main').getByText('Email ou senha incorretos')).toBeVisible()
  })
})

test('ending a session elsewhere closes it there within a moment', async ({ page, browser }) => {
  const { person, page: other } = await newUserInNewBrowser(browser, 'Ana Souza')
  const third = await newBrowserPage(browser)
  await signInAt(third, person)
  await waitUntilLive(third)
  await signInAt(page, person, '/account')
  await expect(page.getByText('Esta sessão', { exact: true })).toBeVisible()
  const ends = page.getByRole('button', { name: /^Encerrar Chrome no/ })
  await expect(ends).toHaveCount(2)
  await ends.first().click()
  await expect(page.getByText('Sessão encerrada.')).toBeVisible()
  await expect(ends).toHaveCount(1)

  await page.getByRole('button', { name: 'Encerrar outras sessões' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Encerrar outras sessões' }).click()
  await expect(ends).toHaveCount(0)
  for (const ended of [other, third]) {
    await ended.waitForURL(/\/signin\?next=%2Fdashboard/)
    await expect(ended.getByRole('alert')).toHaveText(new RegExp(EXPIRED))
  }
  await expect(page.getByRole('heading', { name: 'Minha Conta', level: 1 })).toBeVisible()

  // Whoever comes back goes on where they were.
  await other.getByLabel('Email').fill(person.email)
  await other.getByLabel('Senha', { exact: true }).fill(person.password)
  await other.getByRole('button', { name: 'Entrar' }).click()
  await other.waitForURL('/dashboard')
})

test('a session that ended while nobody listened is noticed by the next call', async ({ page, browser }) => {
  const person = await welcome(page)
  // No page is open while the browser's own socket is replaced.
  await page.goto('about:blank')
  await page.routeWebSocket('**/api/live', (socket) => socket.close({ code: 4006 }))
  await page.goto('/company/create')
  await page.getByLabel('Nome da Empresa').fill('Ponto Tardio')
  // A page that is not live asks again every few seconds: nothing but the click may be the next call.
  await page.route('**/api/**', (route) => (route.request().method() === 'GET' ? undefined : route.continue()))
  const other = await newBrowserPage(browser)
  await signInAt(other, person, '/account')
  await other.getByRole('button', { name: 'Encerrar outras sessões' }).click()
  await other.getByRole('alertdialog').getByRole('button', { name: 'Encerrar outras sessões' }).click()
  await expect(other.getByText('As outras sessões foram encerradas.')).toBeVisible()

  await page.getByRole('button', { name: 'Criar Empresa' }).click()
  await page.waitForURL('/signin?next=%2Fcompany%2Fcreate')
  await expect(page.getByRole('alert')).toHaveText(new RegExp(EXPIRED))
  await page.reload()
  await expect(page.getByRole('alert')).toHaveText(new RegExp(EXPIRED))
  await page.getByRole('button', { name: 'Fechar aviso' }).click()
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Entrar' })).toBeVisible()
  await expect(page.getByRole('alert')).toHaveCount(0)
  expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => /token|user/i.test(key)))).toEqual([])
})

test('two tabs with an expired token refresh it once; an hour without activity ends the session, after a warning that keeps it', async ({
  page,
  context,
}) => {
  await welcome(page)
  const other = await context.newPage()
  await other.goto('/dashboard')
  await other.getByRole('heading', { name: 'Dashboard' }).waitFor()
  let refreshes = 0
  context.on('request', (request) => {
    if (new URL(request.url()).pathname === '/api/auth/refresh') refreshes += 1
  })
  // An open page refreshes as soon as its socket ends, and leaving it then would lose the answer.
  const tabs = [page, other]
  await Promise.all(tabs.map((tab) => tab.goto('about:blank')))
  expect((await page.request.post('/dev/clock', { data: { advanceSeconds: 901 } })).status()).toBe(200)
  await Promise.all(tabs.map((tab) => tab.goto('/dashboard')))
  for (const tab of tabs)
    await expect(tab.getByRole('main').getByRole('link', { name: 'Criar Primeira Empresa' })).toBeVisible()
  expect(refreshes).toBe(1)

  const idle = await context.newPage()
  await Promise.all(tabs.map((tab) => tab.close()))
  await idle.clock.install()
  await idle.goto('/dashboard')
  await idle.getByRole('heading', { name: 'Dashboard' }).waitFor()
  const warning = idle.getByRole('alertdialog', { name: /Sua sessão vai expirar em \d+ s/ })
  await idle.clock.fastForward(3_545_000)
  await warning.getByRole('button', { name: 'Continuar conectado' }).click()
  await expect(warning).toHaveCount(0)
  await idle.clock.fastForward(3_605_000)
  await idle.waitForURL(/\/signin/)
  await expect(idle.getByRole('alert')).toHaveText(new RegExp(EXPIRED))
})
