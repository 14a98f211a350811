// A payment of a company is found by its name, opened, and refunded in part; its timeline tells all of it, and the
// company sees it.
import { enterAdmin, unique } from './admin'
import { newCompanyOwner } from './arrival'
import { expectNoViolation, expectToFitAPhone } from './axe'
import { expect, test } from './journey'
import { newBrowserPage } from './people'
import { newPerson } from './person'
import { subscribe } from './setup'
import { goTo } from './sizes'

test('support finds a payment, refunds a part of it, and the company sees it live', async ({ page, browser }) => {
  const name = unique('Ponto do Reembolso')
  const theirs = await newBrowserPage(browser)
  await newCompanyOwner(theirs, newPerson(), name)
  await subscribe(theirs, 'Profissional')
  await theirs.goto('/payments')
  const row = theirs.getByRole('row').filter({ hasText: 'Profissional' })
  await expect(row.getByText('Aprovado')).toBeVisible()

  await enterAdmin(page, '/admin/payments')
  await page.getByRole('searchbox', { name: 'Buscar' }).fill(name.toUpperCase())
  await expect(page.getByRole('main').getByText('1 pagamento', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: `Abrir ${name}` }).click()
  const sheet = page.getByRole('dialog', { name: new RegExp(`de ${name}$`) })
  await expect(sheet.getByText(/^pi_/)).toBeVisible()
  await sheet.getByRole('button', { name: 'Reembolsar' }).click()
  const question = page.getByRole('alertdialog', { name: `Reembolsar ${name}?` })
  await expect(question.getByText(/O plano e o crédito da empresa continuam como estão/)).toBeVisible()
  await question.getByLabel('Valor').fill('9,90')
  await question.getByLabel('Motivo').fill('Cobrado a mais')
  await question.getByRole('button', { name: /^Reembolsar R\$\s9,90$/ }).click()
  await expect(sheet.getByText('Aceito pelo provedor', { exact: true })).toBeVisible()
  await expect(sheet.getByText('Reembolsado em parte')).toBeVisible()
  await expect(sheet.getByText('Recibo de reembolso')).toBeVisible()

  const timeline = sheet.getByRole('list').filter({ hasText: 'Iniciou um pagamento' })
  await expect(timeline.getByText('Mensagem do provedor recebida').first()).toBeVisible()
  await expect(timeline.getByText('Notificação: Pagamento aprovado')).toBeVisible()
  await expect(timeline.getByText(/^Reembolso de R\$\s9,90 aceito pelo provedor$/)).toBeVisible()
  await expectToFitAPhone(page, 'a payment with its timeline')
  await expectNoViolation(page, 'a payment with its timeline')

  await expect(row.getByText('Reembolsado em parte')).toBeVisible({ timeout: 15_000 })
  await goTo(theirs, 'Faturas')
  const receipt = theirs.getByRole('row').filter({ hasText: 'Reembolso' })
  await expect(receipt.getByText(/R\$\s9,90/)).toBeVisible()
  await theirs.context().close()
})
