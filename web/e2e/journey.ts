// The test of every journey: pages that must stay clean, whoever's they are. A policy violation, an error on the
// console, an exception, a request to another origin or, on a phone, something wider than the screen fails the journey
// that caused it.
import { test as base, type BrowserContext, type ConsoleMessage, type Page } from '@playwright/test'
import { codeFor, type Person } from './person'
import { originOf } from './servers'
import { RAIL, watchWidth } from './sizes'

export { expect } from '@playwright/test'

/** Answers that a journey provokes on purpose; the browser logs each as an error of its own. */
const PROVOKED = /Failed to load resource: the server responded with a status of (400|401|402|403|404|409|422)/

/** The servers of journeys look no postal code up, and say so. */
const NO_LOOKUP = '/api/addresses/'

/** For a journey whose pages are expected to complain: it knows its worker's server, and leaves nobody behind. */
export const plain = base.extend<{ nobodyLeft: undefined }>({
  // oxlint-disable-next-line eslint/no-empty-pattern -- the runner reads from the pattern what the fixture needs
  baseURL: async ({}, provide, { parallelIndex }) => provide(originOf(parallelIndex)),
  nobodyLeft: [
    async ({ browser }, use) => {
      const opened: BrowserContext[] = []
      const note = (context: BrowserContext) => void opened.push(context)
      browser.on('context', note)
      await use(undefined)
      browser.off('context', note)
      // An open page goes on asking the server.
      await Promise.all(opened.map((context) => context.close()))
    },
    { auto: true },
  ],
})

export const test = plain.extend<{ cleanPages: undefined }>({
  cleanPages: [
    async ({ browser, context, viewport, baseURL }, use) => {
      const complaints: string[] = []
      const watch = (page: Page) => {
        page.on('pageerror', (error) => complaints.push(`exception: ${error.stack ?? error.message}`))
        page.on('console', (message: ConsoleMessage) => {
          const isProvoked = PROVOKED.test(message.text()) || message.location().url.includes(NO_LOOKUP)
          if (message.type() === 'error' && !isProvoked) complaints.push(`console: ${message.text()}`)
        })
        page.on('request', (request) => {
          const url = new URL(request.url())
          if (url.protocol.startsWith('http') && url.origin !== baseURL)
            complaints.push(`foreign origin: ${request.url()}`)
        })
      }
      const follow = (opened: BrowserContext) => {
        opened.on('page', watch)
        if (viewport && viewport.width < RAIL) void watchWidth(opened)
      }
      browser.on('context', follow)
      follow(context)
      for (const page of context.pages()) watch(page)
      await use(undefined)
      browser.off('context', follow)
      if (complaints.length > 0) throw new Error(`The pages were not clean:\n${complaints.join('\n')}`)
    },
    { auto: true },
  ],
})

/** Opens the sign-up form and sends it; ends on its success screen. */
export async function signUp(page: Page, person: Person): Promise<void> {
  await page.goto('/signup')
  await page.getByLabel('Email').fill(person.email)
  await fillSignUp(page, person)
}

/** Fills what the form asks besides the address, and sends it; ends on its success screen. */
export async function fillSignUp(page: Page, person: Person): Promise<void> {
  await page.getByLabel('Nome Completo').fill(person.name)
  await page.getByLabel('CPF').pressSequentially(person.cpf)
  await page.getByLabel('Telefone').fill('11987654321')
  await page.getByLabel('Data de Nascimento').fill('1990-05-17')
  await page.getByLabel('Senha', { exact: true }).fill(person.password)
  await page.getByLabel('Confirmar Senha').fill(person.password)
  for (const consent of ['Termos Legais', 'Política de Privacidade', 'Termos LGPD'])
    await page.getByRole('checkbox', { name: consent }).check()
  await page.getByRole('button', { name: 'Criar Conta' }).click()
  await page.getByRole('heading', { name: 'Cadastro Realizado!' }).waitFor()
}

/** From the sign-up's success to a verified address. */
export async function verify(page: Page, person: Person): Promise<void> {
  await page.getByRole('link', { name: 'Verificar Email' }).click()
  await page.getByLabel('Código de verificação').pressSequentially(await codeFor(page.request, person.email))
  await page.getByRole('heading', { name: 'Email Verificado!' }).waitFor()
}

export async function createCompany(page: Page, name: string): Promise<void> {
  await page.goto('/company/create')
  await page.getByLabel('Nome da Empresa').fill(name)
  await page.getByRole('button', { name: 'Criar Empresa' }).click()
  await page.waitForURL('/dashboard')
}
