// A walk through what people see while something is missing, refused or broken: no company yet, no permission, a wrong
// password, a call that fails, code that does not arrive. Whoever walks stops at each of them: to look for
// accessibility violations, or to take a picture. The browser logs what is provoked here.
import { expect, type Browser, type Page } from '@playwright/test'
import { newUserAt, newCompanyOwner } from './arrival'
import { signUp } from './journey'
import { linkFor, newBrowserPage } from './people'
import { newPerson, type Person } from './person'
import { addMember } from './setup'
import { goTo } from './sizes'

type Stop = (name: string, loading?: boolean) => Promise<void>

export async function walkTrouble(page: Page, browser: Browser, at: Stop): Promise<void> {
  const maria = newPerson()
  await walkSignUp(page, maria, at)
  await walkSignIn(page, maria, at)
  const ana = newPerson('Ana Souza')
  await newUserAt(page, ana)
  await walkWithoutCompany(page, at)
  const theirs = await newBrowserPage(browser)
  await newCompanyOwner(theirs, newPerson(), 'Ponto da Maria')
  await addMember(theirs, ana.email, 'operator')
  await theirs.context().close()
  await walkAsOperator(page, at)
  await newCompanyOwner(page, newPerson(), 'Ponto Central')
  await walkFailures(page, at)
}

async function walkSignUp(page: Page, person: Person, at: Stop): Promise<void> {
  await page.goto('/signup')
  await page.getByLabel('Email').fill('maria@')
  await page.getByLabel('CPF').pressSequentially('123')
  await page.getByLabel('Senha', { exact: true }).fill('curta')
  await page.getByLabel('Confirmar Senha').fill('outra')
  await page.getByLabel('Nome Completo').fill('M')
  await page.getByLabel('Telefone').focus()
  await expect(page.getByText('Senhas não coincidem')).toBeVisible()
  await at('sign-up with errors')
  await signUp(page, person)
  await at('account created')
  await page.goto(await linkFor(page.request, person.email, '/verify-email'))
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(person.email)
  await expect(page.getByLabel('Código de verificação')).toBeFocused()
  await page.keyboard.type('000000')
  await expect(page.getByRole('main').getByText('Código de verificação inválido')).toBeVisible()
  await at('wrong code')
}

async function walkSignIn(page: Page, { email }: Person, at: Stop): Promise<void> {
  await page.goto('/signin')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Senha', { exact: true }).fill('Errada#2026')
  await page.getByRole('button', { name: 'Entrar' }).click()
  await expect(page.getByRole('main').getByText('Email ou senha incorretos')).toBeVisible()
  await at('wrong password')
  await page
    .getByRole('link', { name: 'Esqueci minha senha' })
    .or(page.getByRole('button', { name: 'Esqueci minha senha' }))
    .click()
  const dialog = page.getByRole('dialog', { name: 'Esqueci minha senha' })
  await dialog.getByLabel('Email').fill(email)
  await at('forgotten password')
  await dialog.getByRole('button', { name: 'Enviar código' }).click()
  await dialog.getByRole('link', { name: 'Redefinir Senha' }).waitFor()
  await at('code sent')
}

async function walkWithoutCompany(page: Page, at: Stop): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await at('no company dashboard')
  await goTo(page, 'Planos')
  await at('no company plans')
  await page.goto('/company/manage')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await at('no company company manage')
  await goTo(page, 'Pagamentos')
  await at('no company payments')
}

async function walkAsOperator(page: Page, at: Stop): Promise<void> {
  await page.goto('/payments')
  await expect(page.getByText('Você não tem permissão para esta ação')).toBeVisible()
  await at('payments forbidden')
  await goTo(page, 'Planos')
  await at('operator plans')
  await goTo(page, 'Gerenciar Empresa')
  await at('operator company manage')
}

async function walkFailures(page: Page, at: Stop): Promise<void> {
  await page.route('**/api/payments/company/**', (route) =>
    route.fulfill({ status: 404, json: { success: false, error: { code: 'NOT_FOUND', message: 'x' } } }),
  )
  await page.goto('/payments')
  await page.getByRole('button', { name: 'Tentar Novamente' }).waitFor()
  await at('payments failed')
  await page.unrouteAll()

  let answer: () => void = () => undefined
  const answered = new Promise<void>((resolve) => (answer = resolve))
  await page.route('**/api/payments/company/**', async (route) => {
    await answered
    await route.abort()
  })
  await page.goto('/payments')
  await page.locator('main [aria-busy="true"]').first().waitFor()
  await at('payments loading', true)
  answer()
  await page.unrouteAll({ behavior: 'ignoreErrors' })

  await page.goto('/dashboard')
  await page.getByRole('heading', { name: 'Atividade recente' }).waitFor()
  const thrown: Error[] = []
  page.on('pageerror', (error) => thrown.push(error))
  // Its code comes in two parts, and neither arrives.
  await page.route(/\/assets\/.{8}-(plans|saved-cards)\.js$/, (route) => route.abort())
  await page.getByRole('link', { name: 'Planos', exact: true }).first().click()
  await page.getByRole('heading', { name: 'Algo deu errado' }).waitFor()
  expect(thrown).toEqual([])
  await at('crash')
  await page.getByText('Detalhes').click()
  await expect(page.getByText(/· \S{8,}/)).toBeVisible()
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Recarregar' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Planos e Assinaturas' })).toBeVisible()
}
