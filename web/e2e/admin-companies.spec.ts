// The companies of the platform: found, read, suspended with a reason and closed, and the company
// sees the effect.
import { enterAdmin, unique } from './admin'
import { newCompanyOwnerAt } from './arrival'
import { expect, test } from './journey'
import { newBrowserPage } from './people'
import { newPerson } from './person'

test('a company is found, read, suspended and closed, and its people see it', async ({ page, browser }) => {
  const name = unique('Cargas do Vale')
  const theirs = await newBrowserPage(browser)
  await newCompanyOwnerAt(theirs, newPerson('Ivo Ramos'), name)

  await enterAdmin(page, '/admin/companies')
  await page.getByRole('searchbox', { name: 'Buscar' }).fill(name.toUpperCase())
  const row = page.getByRole('row').filter({ hasText: name })
  await expect(row.getByText('Sem assinatura')).toBeVisible()
  const sheet = page.getByRole('dialog', { name })
  await row.click()
  await expect(sheet.getByRole('tab', { name: 'Dados' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(row.getByRole('button', { name: `Abrir ${name}` })).toBeFocused()
  await page.keyboard.press('Enter')
  await sheet.waitFor()
  await page.keyboard.press('Escape')
  await row.getByRole('button', { name: `Gerenciar usuários de ${name}` }).click()
  await expect(sheet.getByText('Os membros são gerenciados pelos administradores da própria empresa.')).toBeVisible()
  await expect(sheet.getByRole('link', { name: 'Ivo Ramos' })).toBeVisible()
  await sheet.getByRole('tab', { name: 'Analytics' }).click()
  await sheet.getByRole('button', { name: 'Ver como tabela' }).click()
  await expect(sheet.getByRole('table', { name: `MRR e receita de ${name} por mês` })).toBeVisible()

  await sheet.getByRole('tab', { name: 'Dados' }).click()
  await sheet.getByRole('button', { name: 'Editar' }).click()
  const form = page.getByRole('dialog', { name: `Editar ${name}` })
  await form.getByLabel('Status').selectOption('suspended')
  await form.getByRole('button', { name: 'Salvar' }).click()
  await expect(form.getByText('Este campo é obrigatório')).toBeVisible()
  await form.getByLabel('Motivo').fill('Cobrança contestada')
  await form.getByRole('button', { name: 'Salvar' }).click()
  await expect(sheet.getByText('Empresa suspensa')).toBeVisible()
  await expect(sheet.getByText('Cobrança contestada')).toBeVisible()
  await expect(theirs.getByText('Esta empresa está suspensa. Fale com o suporte.')).toBeVisible({ timeout: 30_000 })

  await sheet.getByRole('button', { name: 'Editar' }).click()
  await form.getByLabel('Status').selectOption('inactive')
  await expect(form.getByText('Uma empresa inativa só lê: não é cobrada nem muda nada')).toBeVisible()
  await form.getByRole('button', { name: 'Salvar' }).click()
  await expect(sheet.getByText('Empresa inativa')).toBeVisible()
  await expect(theirs.getByText('Esta empresa está desativada. Fale com o suporte.')).toBeVisible({ timeout: 30_000 })
  await expect(theirs.getByRole('link', { name: 'Convidar Usuário' })).toHaveCount(0)
  await theirs.getByRole('main').getByRole('link', { name: 'Gerenciar Empresa' }).click()
  await expect(theirs.getByRole('heading', { name: 'Dados da empresa' })).toBeVisible()
  for (const name of ['Editar', 'Adicionar Usuário', 'Excluir empresa'])
    await expect(theirs.getByRole('button', { name, exact: true })).toHaveCount(0)

  await sheet.getByRole('button', { name: 'Fechar' }).click()
  await expect(row.getByRole('button', { name: `Gerenciar usuários de ${name}` })).toBeFocused()
  await page.getByLabel('Status').selectOption('inactive')
  await expect(page).toHaveURL(/status=inactive/)
  await expect(row.getByText('Inativa')).toBeVisible()
  await theirs.context().close()
})

test('the list is sorted by revenue, plan and subscription', async ({ page }) => {
  await enterAdmin(page, '/admin/companies')
  for (const [label, key] of [
    ['Receita', 'revenue'],
    ['Plano', 'plan'],
    ['Assinatura', 'subscription'],
  ] as const) {
    const head = page.getByRole('columnheader', { name: label })
    await head.getByRole('button').click()
    await expect(page).toHaveURL(new RegExp(`sort=${key}`))
    await expect(head).toHaveAttribute('aria-sort', 'ascending')
    await head.getByRole('button').click()
    await expect(head).toHaveAttribute('aria-sort', 'descending')
    await expect(page.getByText('Erro ao carregar empresas')).toHaveCount(0)
  }
})
