// The catalogue as the platform admin keeps it, and what companies see of it.
import type { Page } from '@playwright/test'
import { enterAdmin, unique } from './admin'
import { newCompanyOwnerAt } from './arrival'
import { expect, test } from './journey'
import { newBrowserPage } from './people'
import { newPerson } from './person'

async function fillPlan(page: Page, name: string): Promise<void> {
  const form = page.getByRole('dialog', { name: 'Criar Novo Plano' })
  await form.getByLabel('Nome', { exact: true }).fill(name)
  await form.getByLabel('Descrição').fill('Para pontos que crescem.')
  await form.getByLabel('Preço mensal').fill('59,90')
  await form.getByRole('button', { name: 'Preencher com desconto padrão' }).click()
  await form.getByRole('textbox', { name: 'Máximo de usuários' }).fill('7')
  await form.getByRole('switch', { name: 'Ilimitado (Máximo de bipagens por mês)' }).check()
  for (const [index, feature] of ['Painel de entregas', 'Suporte por telefone'].entries()) {
    await form.getByRole('button', { name: 'Adicionar recurso' }).click()
    await form.getByRole('textbox', { name: `Recurso ${index + 1}` }).fill(feature)
  }
}

test('a plan is written, sold, changed and taken off, and companies see each step', async ({ page, browser }) => {
  const name = unique('Plano Ágil')
  await enterAdmin(page, '/admin/plans')
  await page.getByRole('button', { name: 'Criar Novo Plano' }).click()
  await fillPlan(page, name)
  const form = page.getByRole('dialog', { name: 'Criar Novo Plano' })
  await expect(form.getByLabel('Preço trimestral')).toHaveValue('152,75')
  await expect(form.getByLabel('Preço anual')).toHaveValue('539,10')
  const preview = form.getByRole('region', { name: 'Como as empresas verão' })
  await expect(preview.getByRole('heading', { name })).toBeVisible()
  await expect(preview.getByText('Até 7 usuários')).toBeVisible()
  await expect(preview.getByText('Bipagens ilimitadas')).toBeVisible()
  await form.getByRole('button', { name: 'Mover recurso 2 para cima' }).click()
  await expect(form.getByRole('textbox', { name: 'Recurso 1' })).toHaveValue('Suporte por telefone')
  await form.getByRole('button', { name: 'Criar Plano' }).click()
  await expect(page.getByText('Plano criado com sucesso!')).toBeVisible()
  await expect(page).toHaveURL('/admin/plans')
  const card = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) })
  await expect(card.getByText(/R\$\s59,90/)).toBeVisible()
  await expect(card.getByText('Nenhuma assinatura ativa')).toBeVisible()

  const shop = await newBrowserPage(browser)
  await newCompanyOwnerAt(shop, newPerson(), 'Ponto do Catálogo', '/plans')
  const offer = shop.getByRole('listitem').filter({ has: shop.getByRole('heading', { name }) })
  await expect(offer.getByText(/R\$\s59,90/)).toBeVisible()

  await card.getByRole('button', { name: `Editar ${name}` }).click()
  const edit = page.getByRole('dialog', { name: `Editar ${name}` })
  await edit.getByLabel('Preço mensal').fill('64,90')
  await expect(edit.getByText('As assinaturas atuais mantêm o preço.')).toBeVisible()
  await edit.getByRole('button', { name: 'Salvar' }).click()
  await expect(page.getByText('Plano atualizado com sucesso!')).toBeVisible()
  await expect(card.getByText(/R\$\s64,90/)).toBeVisible()
  await expect(offer.getByText(/R\$\s64,90/)).toBeVisible()

  await card.getByRole('button', { name: `Desativar ${name}` }).click()
  await expect(page.getByText(`${name} desativado`)).toBeVisible()
  await expect(card).toHaveCount(0)
  await expect(offer).toHaveCount(0)
  // The choice is kept in the address, so it shows when the address has followed.
  await page.getByRole('radio', { name: 'Inativos' }).click({ force: true })
  await expect(page).toHaveURL(/status=inactive/)
  await expect(card.getByText('Inativo')).toBeVisible()
})
