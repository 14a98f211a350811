// The test of every journey: a page that must stay clean. A policy violation, an error on the console, an
// exception or a request to another origin fails the journey that caused it.
import { test as base, type ConsoleMessage, type Page } from '@playwright/test'
import { codeFor, type Person } from './person'

export { expect } from '@playwright/test'

/** Answers that a journey provokes on purpose; the browser logs each as an error of its own. */
const PROVOKED = /Failed to load resource: the server responded with a status of (400|401|402|403|404|409|422)/

export const test = base.extend<{ cleanPage: undefined }>({
  cleanPage: [
    async ({ context, baseURL }, use) => {
      const complaints: string[] = []
      const watch = (page: Page) => {
        page.on('pageerror', (error) => complaints.push(`exception: ${error.message}`))
        page.on('console', (message: ConsoleMessage) => {
          if (message.type() === 'error' && !PROVOKED.test(message.text())) complaints.push(`console: ${message.text()}`)
        })
        page.on('request', (request) => {
          const url = new URL(request.url())
          if (url.protocol.startsWith('http') && url.origin !== baseURL) complaints.push(`foreign origin: ${request.url()}`)
        })
      }
      context.on('page', watch)
      for (const page of context.pages()) watch(page)
      await use(undefined)
      if (complaints.length > 0) throw new Error(`The page was not clean:\n${complaints.join('\n')}`)
    },
    { auto: true },
  ],
})

/** Fills and sends the sign-up form; ends on its success screen. */
export async function signUp(page: Page, person: Person): Promise<void> {
  await page.goto('/signup')
  await page.getByLabel('Nome Completo').fill(person.name)
  await page.getByLabel('Email').fill(person.email)
  await page.getByLabel('CPF').pressSequentially(person.cpf)
  await page.getByLabel('Telefone').fill('11987654321')
  await page.getByLabel('Data de Nascimento').fill('1990-05-17')
  await page.getByLabel('Senha', { exact: true }).fill(person.password)
  await page.getByLabel('Confirmar Senha').fill(person.password)
  for (const consent of ['Termos Legais', 'Política de Privacidade', 'Termos LGPD']) await page.getByRole('checkbox', { name: consent }).check()
  await page.getByRole('button', { name: 'Criar Conta' }).click()
  await page.getByRole('heading', { name: 'Cadastro Realizado!' }).waitFor()
}

/** From the sign-up's success to a verified address. */
export async function verify(page: Page, person: Person): Promise<void> {
  await page.getByRole('link', { name: 'Verificar Email' }).click()
  await page.getByLabel('Código de verificação').pressSequentially(await codeFor(page.request, person.email))
  await page.getByRole('heading', { name: 'Email Verificado!' }).waitFor()
}

/** From anywhere to the dashboard. */
export async function signIn(page: Page, person: Person): Promise<void> {
  await page.goto('/signin')
  await page.getByLabel('Email').fill(person.email)
  await page.getByLabel('Senha', { exact: true }).fill(person.password)
  await page.getByRole('button', { name: 'Entrar' }).click()
  await page.getByRole('heading', { name: 'Login Realizado!' }).waitFor()
  await page.waitForURL('/dashboard')
}

export async function createCompany(page: Page, name: string): Promise<void> {
  await page.goto('/company/create')
  await page.getByLabel('Nome da Empresa').fill(name)
  await page.getByRole('button', { name: 'Criar Empresa' }).click()
  await page.waitForURL('/dashboard')
}

/** A verified person with a company, signed in. */
export async function enter(page: Page, person: Person, company: string): Promise<void> {
  await signUp(page, person)
  await verify(page, person)
  await signIn(page, person)
  await createCompany(page, company)
}
