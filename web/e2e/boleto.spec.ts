// A boleto, from the choice of the plan to its payment at the bank.
import { newCompanyOwner } from './arrival'
import { expect, test } from './journey'
import { choosePlan, expectActive, resultDialog, typeAddress } from './payment'
import { newPerson } from './person'

test('a company subscribes by boleto', async ({ page }) => {
  await newCompanyOwner(page, newPerson(), 'Ponto do Boleto')
  const checkout = await choosePlan(page, 'Essencial')
  await checkout.getByRole('radio', { name: /Boleto/ }).check()
  const pay = checkout.getByRole('button', { name: /^Pagar/ })
  await expect(pay).toBeDisabled()
  await expect(checkout.getByLabel('CPF')).toHaveValue(/^\d{3}\.\d{3}\.\d{3}-\d{2}$/)
  await typeAddress(checkout)
  await expect(pay).toContainText('Gerar boleto')
  await pay.click()

  const pending = await resultDialog(page, 'Pagamento Pendente')
  await expect(pending.getByLabel('Linha digitável')).toHaveValue(/^\d{5}\.\d{5} \d{5}\.\d{6} \d{5}\.\d{6} \d \d{14}$/)
  await expect(pending.getByText(/Vence em \d\d\/\d\d\/\d{4}/)).toBeVisible()
  await expect(pending.getByRole('figure', { name: 'Código de barras do boleto' })).toBeVisible()
  await expect(pending.getByRole('link', { name: /Abrir boleto/ })).toHaveAttribute('rel', /noopener/)
  await expect(pending.getByRole('button', { name: 'Cancelar pagamento' })).toHaveCount(0)
  await expect(pending.getByText(/o boleto já não paga o plano: se for pago, o valor vira crédito/)).toBeVisible()
  await expect(pending.getByRole('button', { name: 'Pagar com PIX' })).toBeVisible()

  await pending.getByRole('button', { name: 'Aprovar' }).click()
  const approved = await resultDialog(page, 'Pagamento Aprovado!')
  await approved.getByRole('button', { name: 'Continuar' }).click()
  await expectActive(page, 'Essencial')
})
