// PIX: seen as approved in every open tab, cancelled, charged once, and without the live connection. A code that
// expires is on the way of `billing-walk.ts`.
import { newCompanyOwner } from './arrival'
import { expect, test } from './journey'
import { choosePlanHere, expectActive, payByPix, payments, resultDialog } from './payment'
import { newPerson } from './person'

test('a company subscribes by PIX and every open tab sees the approval', async ({ page, context }) => {
  await newCompanyOwner(page, newPerson(), 'Ponto do PIX')
  const pending = await payByPix(page, 'Essencial')
  await expect(
    pending.getByRole('img', { name: 'QR Code do PIX' }).or(pending.getByTitle('QR Code do PIX')).first(),
  ).toBeVisible()
  await expect(pending.getByLabel('PIX Copia e Cola')).toHaveValue(/^000201.*6304[0-9A-F]{4}$/)
  await expect(pending.getByRole('timer')).toHaveText(/Expira em \d+:\d\d/)
  await expect(pending.getByText('BIPE SANDBOX')).toBeVisible()
  await expect(pending.getByRole('button', { name: 'Pagar com Cartão de Crédito' })).toBeVisible()

  const other = await context.newPage()
  await other.goto('/plans')
  await expect(
    other.getByRole('main').getByText(/^Pagamento do plano Essencial em aberto: .+49,90 por PIX/),
  ).toBeVisible()
  await expect(other.getByRole('button', { name: 'Conexão: Ao vivo' })).toBeVisible()
  await other.getByRole('button', { name: 'Ver pagamento' }).click()
  await resultDialog(other, 'Pagamento Pendente')

  await expect(page.getByText('Ao vivo')).toBeAttached()
  await pending.getByRole('button', { name: 'Aprovar' }).click()
  const approved = await resultDialog(page, 'Pagamento Aprovado!')
  await expect(approved.getByRole('heading', { name: 'Pagamento Aprovado!' })).toBeFocused()
  await resultDialog(other, 'Pagamento Aprovado!')

  await approved.getByRole('button', { name: 'Continuar' }).click()
  await expectActive(page, 'Essencial')
  await expect(page.getByRole('button', { name: 'Plano Atual' })).toBeDisabled()
  expect(await payments(page)).toMatchObject([{ status: 'SUCCESS', amount: 4990 }])
})

test('a payment is cancelled, and a double click on the next one with a reload in the middle charges once', async ({
  page,
}) => {
  await newCompanyOwner(page, newPerson(), 'Ponto da Pressa')
  const pending = await payByPix(page, 'Essencial')
  await pending.getByRole('button', { name: 'Cancelar pagamento' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancelar pagamento' }).click()
  const cancelled = await resultDialog(page, 'Pagamento Cancelado')
  await cancelled.getByRole('button', { name: 'Fechar', exact: true }).last().click()
  await expect(page.getByText('Você ainda não tem uma assinatura')).toBeVisible()

  const checkout = await choosePlanHere(page, 'Essencial')
  await checkout.getByRole('radio', { name: /PIX/ }).check()
  const sent = page.waitForRequest('**/api/payments/process')
  await checkout.getByRole('button', { name: /^Pagar/ }).dblclick()
  await sent
  await page.reload()
  await page.getByRole('button', { name: 'Ver pagamento' }).click()
  await resultDialog(page, 'Pagamento Pendente')
  await pending.getByRole('button', { name: 'Aprovar' }).click()
  await resultDialog(page, 'Pagamento Aprovado!')
  expect((await payments(page)).map(({ status }) => status)).toEqual(['SUCCESS', 'CANCELLED'])
})

test('with the socket blocked the dialog turns by polling', async ({ page }) => {
  await page.routeWebSocket('**/api/live', (socket) => socket.close({ code: 4006 }))
  await newCompanyOwner(page, newPerson(), 'Ponto sem Rede')
  const pending = await payByPix(page, 'Essencial')
  await expect(page.getByText('Sem tempo real - atualizando a cada 15 s')).toBeAttached()
  await pending.getByRole('button', { name: 'Aprovar' }).click()
  await resultDialog(page, 'Pagamento Aprovado!')
})
