import { createCompany, enter, expect, test } from './journey'
import { newPerson } from './person'

test('an administrator renames the company and every place shows it', async ({ page, context }) => {
  await enter(page, newPerson(), 'Ponto Central')
  const other = await context.newPage()
  await other.goto('/company/manage')
  await expect(other.getByRole('heading', { level: 1 })).toHaveText('Ponto Central')

  await page.getByRole('link', { name: 'Editar Ponto Central' }).click()
  await page.getByRole('button', { name: 'Editar', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Editar Empresa' })
  await dialog.getByLabel('Nome da Empresa').fill('')
  await dialog.getByRole('button', { name: 'Salvar' }).click()
  await expect(dialog.getByText('Nome da empresa é obrigatório')).toBeVisible()
  await dialog.getByLabel('Nome da Empresa').fill('Ponto Norte')
  await dialog.getByRole('button', { name: 'Salvar' }).click()
  await expect(page.getByText('Empresa atualizada com sucesso!')).toBeVisible()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Ponto Norte')
  await expect(page.getByRole('button', { name: 'Empresa atual: Ponto Norte' })).toBeVisible()
  await expect(other.getByRole('heading', { level: 1 })).toHaveText('Ponto Norte')
})

test('a person with two companies chooses between them, and each tab keeps its own', async ({ page, context }) => {
  await enter(page, newPerson(), 'Ponto Central')
  await createCompany(page, 'Ponto Sul')
  await expect(page.getByRole('button', { name: 'Empresa atual: Ponto Sul' })).toBeVisible()
  const other = await context.newPage()
  await other.goto('/dashboard')
  await other.getByRole('button', { name: 'Empresa atual: Ponto Sul' }).click()
  await other.getByRole('menuitem', { name: 'Ponto Central' }).click()
  await expect(other.getByRole('button', { name: 'Empresa atual: Ponto Central' })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('button', { name: 'Empresa atual: Ponto Sul' })).toBeVisible()
})

test('unsaved changes are not lost by a click elsewhere', async ({ page }) => {
  await enter(page, newPerson(), 'Ponto Central')
  await page.goto('/company/create')
  await page.getByLabel('Nome da Empresa').fill('Rascunho')
  await page.getByRole('link', { name: 'Planos' }).click()
  const question = page.getByRole('alertdialog', { name: 'Sair sem salvar?' })
  await question.getByRole('button', { name: 'Continuar editando' }).click()
  await expect(page.getByLabel('Nome da Empresa')).toHaveValue('Rascunho')
  await page.getByRole('link', { name: 'Planos' }).click()
  await question.getByRole('button', { name: 'Sair sem salvar' }).click()
  await page.waitForURL('/plans')
})
