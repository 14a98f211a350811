// The people of the platform: found, read, changed, signed out, erased.
import type { Page } from '@playwright/test'
import { enterAdmin, unique } from './admin'
import { registerUnverified, newCompanyOwnerAt } from './arrival'
import { expect, test } from './journey'
import { newBrowserPage, waitUntilLive } from './people'
import { newPerson } from './person'

test('a person is found whatever the accents, edited and signed out everywhere, and another one is erased', async ({
  page,
  browser,
}) => {
  const person = newPerson('Conceição Araújo')
  const theirs = await newBrowserPage(browser)
  await newCompanyOwnerAt(theirs, person, 'Ponto da Conceição')

  await enterAdmin(page, '/admin/users')
  await page.getByRole('searchbox', { name: 'Buscar' }).fill('conceicao araujo')
  await expect(page).toHaveURL(/search=conceicao/)
  await page.getByRole('searchbox', { name: 'Buscar' }).fill(person.email)
  const row = page.getByRole('row').filter({ hasText: person.email })
  await expect(row.getByText('Admin Empresa')).toBeVisible()
  await expect(row.getByText('Ponto da Conceição')).toBeVisible()
  await expect(row.getByText('Hoje')).toBeVisible()

  await row.getByRole('button', { name: 'Ver Conceição Araújo' }).click()
  const sheet = page.getByRole('dialog', { name: 'Conceição Araújo' })
  await expect(sheet.getByText(/^\*\*\*\.\d{3}\.\d{3}-\*\*$/)).toBeVisible()
  const companies = sheet.locator('section').filter({ has: page.getByRole('heading', { name: 'Empresas' }) })
  await expect(companies.getByRole('link', { name: 'Ponto da Conceição' })).toBeVisible()
  await expect(sheet.getByText('Criou a conta')).toBeVisible()
  await sheet.getByRole('button', { name: 'Editar' }).click()
  const form = page.getByRole('dialog', { name: 'Editar Conceição Araújo' })
  await form.getByLabel('Nome Completo').fill('Conceição Araújo Lima')
  await form.getByRole('button', { name: 'Salvar' }).click()
  await expect(page.getByText('Usuário atualizado com sucesso!')).toBeVisible()

  const renamed = page.getByRole('dialog', { name: 'Conceição Araújo Lima' })
  await renamed.getByRole('button', { name: 'Encerrar sessões' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Encerrar sessões' }).click()
  await expect(page.getByText('Sessões de Conceição Araújo Lima encerradas')).toBeVisible()
  await expect(renamed.getByRole('button', { name: 'Encerrar sessões' })).toBeDisabled()
  await theirs.waitForURL(/\/signin/, { timeout: 45_000 })
  await theirs.context().close()
  await renamed.getByRole('button', { name: 'Fechar' }).click()
  await expectErased(page)
})

/** A person is deactivated first and erased only with the typed address; oneself is neither. */
async function expectErased(page: Page): Promise<void> {
  const person = newPerson('Breno Prado')
  await registerUnverified(page.request, person)
  await page.getByRole('searchbox', { name: 'Buscar' }).fill(person.email)
  await page.getByRole('button', { name: 'Excluir Breno Prado' }).click()
  const question = page.getByRole('alertdialog', { name: 'Excluir Breno Prado?' })
  await expect(question.getByRole('button', { name: 'Cancelar' })).toBeFocused()
  await question.getByRole('button', { name: 'Desativar' }).click()
  await expect(page.getByRole('row').filter({ hasText: person.email }).getByText('Inativo')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Excluir Breno Prado' })).toBeFocused()

  await page.getByRole('button', { name: 'Excluir Breno Prado' }).click()
  await question.locator('summary').click()
  const erase = question.getByRole('button', { name: 'Excluir e anonimizar' })
  await expect(erase).toBeDisabled()
  await question.getByLabel(/para confirmar/).fill(person.email)
  await erase.click()
  await expect(page.getByText('Usuário excluído e anonimizado')).toBeVisible()
  await expect(page.getByText('Nenhum usuário encontrado')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Usuários', level: 1 })).toBeFocused()

  await page.getByRole('searchbox', { name: 'Buscar' }).fill('admin@bipe.localhost')
  await expect(page.getByRole('button', { name: 'Você não pode excluir a si mesmo' })).toHaveAttribute(
    'aria-disabled',
    'true',
  )
}

test('filters live in the address, are cleared where they find nothing, and are kept by a name in every tab', async ({
  page,
  context,
}) => {
  await enterAdmin(page, '/admin/users?role=admin&status=active&search=ninguem-se-chama-assim')
  await expect(page.getByLabel('Papel')).toHaveValue('admin')
  await expect(page.getByText('Nenhum usuário encontrado')).toBeVisible()
  await page.getByRole('button', { name: 'Limpar filtros' }).click()
  await expect(page).toHaveURL('/admin/users')
  await expect(
    page.getByRole('row').filter({ hasText: 'admin@bipe.localhost' }).or(page.getByText('Página 1 de')),
  ).not.toHaveCount(0)
  await page.getByRole('button', { name: 'Usuário', exact: true }).click()
  await expect(page).toHaveURL(/sort=name/)
  await expect(page.getByRole('columnheader', { name: 'Usuário' })).toHaveAttribute('aria-sort', 'ascending')

  const name = unique('Pendentes')
  await page.goto('/admin/users?status=pending&sort=name')
  const other = await context.newPage()
  await other.goto('/admin/users')
  await waitUntilLive(other)
  await page.getByRole('button', { name: 'Salvar visualização' }).click()
  const form = page.getByRole('dialog', { name: 'Salvar visualização' })
  await form.getByLabel('Nome').fill(name)
  await form.getByRole('button', { name: 'Salvar' }).click()
  await expect(page.getByRole('link', { name })).toHaveAttribute('aria-current', 'true')
  await expect(page.getByRole('heading', { name: 'Usuários', level: 1 })).toBeFocused()

  await other.getByRole('link', { name }).click()
  await expect(other).toHaveURL('/admin/users?status=pending&sort=name')
  await expect(other.getByLabel('Status')).toHaveValue('pending')
  await other.getByRole('button', { name: `Opções de ${name}` }).click()
  await other.getByRole('menuitem', { name: 'Excluir' }).click()
  await other.getByRole('alertdialog').getByRole('button', { name: 'Excluir' }).click()
  await expect(other.getByRole('link', { name })).toHaveCount(0)
  await expect(page.getByRole('link', { name })).toHaveCount(0)
})
