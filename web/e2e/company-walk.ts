// A walk through every dialog of company and account. Whoever walks stops at each of them: to look for accessibility
// violations, or to take a picture.
import { expect, type APIRequestContext, type Page } from '@playwright/test'
import { newCompanyOwner, registerVerified } from './arrival'
import { closeOverlays, memberRow } from './people'
import { newPerson } from './person'
import { addMember } from './setup'

type Stop = (name: string) => Promise<void>

const openers = [
  ['adding a user', '/company/manage', 'Adicionar Usuário'],
  ['editing the company', '/company/manage', 'Editar'],
  ['filling in the billing profile', '/company/manage', 'Preencher dados de cobrança'],
  ['removing a user', '/company/manage', 'Remover Ana Souza'],
  ['cancelling an invite', '/company/manage', /^Cancelar convite para/],
  ['deleting the company', '/company/manage', 'Excluir empresa'],
  ['changing the address', '/account', 'Alterar email'],
  ['changing the password', '/account', 'Alterar senha'],
  ['ending other sessions', '/account', 'Encerrar outras sessões'],
  ['deleting the account', '/account', 'Excluir minha conta'],
] as const

export async function walkCompany(page: Page, request: APIRequestContext, at: Stop): Promise<void> {
  const [maria, ana] = [newPerson(), newPerson('Ana Souza')]
  await registerVerified(page.request, ana)
  await newCompanyOwner(page, maria, 'Ponto Central')
  await addMember(page, ana.email, 'operator')
  await addMember(page, newPerson().email, 'operator')
  await page.goto('/company/manage')
  await memberRow(page, ana.name).waitFor()
  await page.getByRole('button', { name: /^Cancelar convite para/ }).waitFor()
  await at('company with people')
  // A second session, so that there are others to end.
  expect(
    (await request.post('/api/auth/login', { data: { userEmail: maria.email, password: maria.password } })).status(),
  ).toBe(200)
  for (const [name, path, opener] of openers) {
    if (new URL(page.url()).pathname !== path) await page.goto(path)
    await page.getByRole('button', { name: opener, exact: true }).first().click()
    await page.getByRole('dialog').or(page.getByRole('alertdialog')).waitFor()
    await at(name)
    await closeOverlays(page)
  }
}
