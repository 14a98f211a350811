// Steps of a person with a second factor, for the journeys and for the walk that looks at its screens.
import { expect, type Page } from '@playwright/test'
import { post } from './arrival'
import { codeOf } from './authenticator'
import type { Person } from './person'
import { sessionOf } from './setup'

type Look = (what: string) => Promise<void>

/** The first step of the sign-in: the password. What is asked for next is on the page. */
export async function firstStep(page: Page, person: Person): Promise<void> {
  await page.goto('/signin')
  await page.getByLabel('Email').fill(person.email)
  await page.getByLabel('Senha', { exact: true }).fill(person.password)
  await page.getByRole('button', { name: 'Entrar', exact: true }).click()
}

export async function signOut(page: Page): Promise<void> {
  await page.evaluate(() => localStorage.clear())
  await page.goto('/signin')
}

interface TotpApp {
  secret: string
  /** The code that set it up. */
  used: string
  recoveryCodes: string[]
}

/** Where the card of the second factor is shown, to somebody without one. */
export async function setUpAppHere(page: Page, person: Person, look?: Look): Promise<TotpApp> {
  await page.getByRole('button', { name: 'Ativar aplicativo' }).click()
  const dialog = page.getByRole('dialog', { name: 'Ativar aplicativo autenticador' })
  await look?.('the password before an authenticator app')
  await dialog.getByLabel('Sua senha atual').fill(person.password)
  await dialog.getByRole('button', { name: 'Continuar' }).click()
  await expect(dialog.getByRole('img', { name: 'QR Code do aplicativo autenticador' })).toBeVisible()
  const secret = (await dialog.getByLabel('Chave', { exact: true }).inputValue()).replaceAll(' ', '')
  await look?.('an offered authenticator app')
  const used = await codeOf(page.request, secret)
  await dialog.getByLabel('2. Código que o aplicativo mostra').pressSequentially(used)
  const codes = page.getByRole('list', { name: 'Códigos de recuperação' }).getByRole('listitem')
  await expect(codes).toHaveCount(10)
  await look?.('recovery codes')
  const recoveryCodes = await codes.allTextContents()
  await page.getByRole('button', { name: 'Já guardei os códigos' }).click()
  await expect(page.getByText('Ativa', { exact: true })).toBeVisible()
  // Not the button that takes the factor away again.
  await expect(page.getByRole('heading', { name: 'Verificação em duas etapas' })).toBeFocused()
  return { secret, used, recoveryCodes }
}

/** The same on "Minha Conta". */
export async function setUpApp(page: Page, person: Person, look?: Look): Promise<TotpApp> {
  await page.goto('/account')
  return setUpAppHere(page, person, look)
}

/** The authenticator app of the signed-in person, set up by the API; answers its secret. */
export async function addTotpByApi(page: Page, { password }: Person): Promise<string> {
  const { token } = await sessionOf(page)
  const path = '/api/auth/second-factor/totp'
  const { data } = await post<{ secret: string }>(page.request, path, { password }, token)
  await post(page.request, `${path}/confirm`, { code: await codeOf(page.request, data.secret) }, token)
  return data.secret
}

/** Refuses the platform admin's area as a production server does, until the page has set an authenticator app up. */
export async function requireSecondFactor(page: Page): Promise<void> {
  let hasFactor = false
  page.on('response', (response) => {
    hasFactor ||= response.ok() && response.url().endsWith('/second-factor/totp/confirm')
  })
  const error = { code: 'SECOND_FACTOR_REQUIRED', message: 'Ative a verificação em duas etapas para continuar' }
  await page.route('**/api/admin/**', (route) =>
    hasFactor ? route.fallback() : route.fulfill({ status: 403, json: { success: false, error } }),
  )
}
