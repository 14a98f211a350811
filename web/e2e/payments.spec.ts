// The list of payments, and what goes wrong on the way: another payment in the way, a price that changes, lost answers,
// no network, no preview. A boleto that makes room for a PIX is on the way of `billing-walk.ts`.
import type { BrowserContext, Page } from '@playwright/test'
import { newCompanyOwnerAt, newCompanyOwner } from './arrival'
import { expect, plain, test } from './journey'
import { choosePlan, expectActive, payments, resultDialog } from './payment'
import { newPerson } from './person'
import { openIntent, openPix, settleIntent, withPlan } from './setup'

test('the list filters by the address, shows a payment beside it, cancels it and exports', async ({ page }) => {
  await newCompanyOwnerAt(page, newPerson(), 'Ponto da Lista', '/payments')
  await expect(page.getByText('Nenhum pagamento encontrado')).toBeVisible()
  await openPix(page, 'Essencial')
  const row = page.getByRole('row').filter({ hasText: 'Essencial · Mensal' })
  await expect(row.getByText('Pendente')).toBeVisible()
  await page.getByLabel('Status').selectOption('Aprovado')
  await expect(page).toHaveURL(/\?status=SUCCESS$/)
  await expect(page.getByText('Nenhum pagamento encontrado')).toBeVisible()
  await page.getByRole('button', { name: 'Limpar filtros' }).click()
  await page.getByLabel('Forma de pagamento').selectOption('PIX')
  await page.reload()
  await expect(page.getByLabel('Forma de pagamento')).toHaveValue('PIX')

  await row.getByRole('link', { name: /^Ver PIX/ }).click()
  await expect(page).toHaveURL(/\/payments\/[0-9a-f-]{36}\?method=PIX$/)
  const sheet = await resultDialog(page, 'Pagamento Pendente')
  await expect(sheet.getByLabel('PIX Copia e Cola')).toBeVisible()
  await sheet.getByRole('button', { name: 'Fechar' }).last().click()
  await expect(page).toHaveURL(/\/payments\?method=PIX$/)

  await row.getByRole('button', { name: /^Cancelar pagamento/ }).click()
  await page
    .getByRole('alertdialog', { name: 'Cancelar pagamento' })
    .getByRole('button', { name: 'Cancelar pagamento' })
    .click()
  await expect(row.getByText('Cancelado')).toBeVisible()
  await expect(row.getByRole('link', { name: /^Detalhes/ })).toBeVisible()

  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Exportar CSV' }).click()
  const file = await download
  expect(file.suggestedFilename()).toMatch(/^pagamentos-\d{4}-\d\d-\d\d\.csv$/)
})

test('a payment that is open is announced before another one, and gives way only when asked to', async ({ page }) => {
  await newCompanyOwner(page, newPerson(), 'Ponto de Duas Abas')
  const checkout = await choosePlan(page, 'Essencial')
  await checkout.getByRole('radio', { name: /PIX/ }).check()
  await openPix(page, 'Essencial')
  await checkout.getByRole('button', { name: /^Pagar/ }).click()
  const taken = await resultDialog(page, 'Já existe um pagamento em aberto')
  await expect(taken.getByText('Essencial · Mensal')).toBeVisible()
  await expect(taken.getByText(/^R\$\s49,90 por PIX, até /)).toBeVisible()
  expect(await payments(page)).toHaveLength(1)
  await taken.getByRole('button', { name: 'Cancelar e continuar' }).click()
  const again = page.getByRole('dialog', { name: 'Assinar Essencial' })
  await expect(again.getByRole('radio', { name: /PIX/ })).toBeChecked()
  await again.getByRole('button', { name: /^Pagar .*Gerar código PIX$/ }).click()
  const pending = await resultDialog(page, 'Pagamento Pendente')
  expect((await payments(page)).map(({ status }) => status)).toEqual(['PENDING', 'CANCELLED'])

  await pending.getByRole('button', { name: 'Fechar', exact: true }).last().click()
  await page.getByRole('button', { name: 'Assinar: Profissional' }).click()
  await (
    await resultDialog(page, 'Já existe um pagamento em aberto')
  )
    .getByRole('button', { name: 'Pagar aquele' })
    .click()
  await expect((await resultDialog(page, 'Pagamento Pendente')).getByText(/R\$\s49,90/).first()).toBeVisible()
  expect(await payments(page)).toHaveLength(2)
})

test('a price that changes under the open dialog is quoted anew', async ({ page }) => {
  await newCompanyOwner(page, newPerson(), 'Ponto do Preço')
  const prices = { monthlyPrice: 70, quarterlyPrice: 200, yearlyPrice: 800 }
  await withPlan(page, prices, async (plan, reprice) => {
    await page.goto('/plans')
    await page.getByRole('button', { name: `Assinar: ${plan.displayName}` }).click()
    const dialog = page.getByRole('dialog', { name: 'Preview da Mudança' })
    await expect(dialog.locator('[aria-live=polite]')).toHaveText('R$ 70,00')
    await expect(page.getByText('Ao vivo')).toBeAttached()
    await reprice({ ...prices, monthlyPrice: 75.5 })
    await expect(dialog.getByText('O preço deste plano foi atualizado')).toBeVisible()
    await expect(dialog.locator('[aria-live=polite]')).toHaveText('R$ 75,50')
    await dialog.getByRole('button', { name: 'Confirmar Mudança' }).click()
    const checkout = page.getByRole('dialog', { name: `Assinar ${plan.displayName}` })
    await checkout.getByRole('radio', { name: /PIX/ }).check()
    await checkout.getByRole('button', { name: /^Pagar/ }).click()
    await (await resultDialog(page, 'Pagamento Pendente')).getByRole('button', { name: 'Aprovar' }).click()
    await resultDialog(page, 'Pagamento Aprovado!')
    expect(await payments(page)).toMatchObject([{ status: 'SUCCESS', amount: 7550 }])
  })
})

plain(
  'a lost answer, a network that is away and a preview that cannot be had charge nothing twice and nothing wrong',
  async ({ page, context }) => {
    await newCompanyOwner(page, newPerson(), 'Ponto da Queda de Rede')
    await expectAskedAgain(page)
    await expectCaughtUp(page, context)
    await expectPutRight(page)
  },
)

/** An answer that is lost is asked for again under the same key. */
async function expectAskedAgain(page: Page): Promise<void> {
  const keys = new Set<string>()
  let lost = 0
  await page.route('**/api/payments/process', async (route) => {
    keys.add(route.request().headers()['idempotency-key'] ?? '')
    const answer = await route.fetch()
    // Three tries are the transport's own; the fourth is the person's dialog that asks again.
    if (lost++ < 3) await route.abort()
    else await route.fulfill({ response: answer })
  })
  const checkout = await choosePlan(page, 'Essencial')
  await checkout.getByRole('radio', { name: /PIX/ }).check()
  await checkout.getByRole('button', { name: /^Pagar/ }).click()
  await expect(checkout.getByText('Verificando o pagamento...')).toBeVisible()
  await resultDialog(page, 'Pagamento Pendente')
  expect(keys.size).toBe(1)
  expect(await payments(page)).toHaveLength(1)
  await page.unroute('**/api/payments/process')
}

/** What happened while the network was away shows when it is back. */
async function expectCaughtUp(page: Page, context: BrowserContext): Promise<void> {
  const intent = await openIntent(page)
  await expect(page.getByText('Ao vivo')).toBeAttached()
  await context.setOffline(true)
  await expect(page.getByText('Offline', { exact: true })).toBeAttached()
  await settleIntent(page, intent)
  await resultDialog(page, 'Pagamento Pendente')
  await context.setOffline(false)
  await (await resultDialog(page, 'Pagamento Aprovado!')).getByRole('button', { name: 'Continuar' }).click()
  await expectActive(page, 'Essencial')
  await expect(page.getByText('Ao vivo')).toBeAttached()

  await context.setOffline(true)
  await page.getByRole('button', { name: 'Fazer Upgrade: Profissional' }).click()
  await expect(page.getByText('Erro de conexão. Verifique sua internet')).toBeVisible({ timeout: 20_000 })
  await expect(page.getByRole('dialog')).toBeHidden()
  await context.setOffline(false)
}

/** A preview that cannot be had opens the payment, and a wrong amount is put right before anything is charged. */
async function expectPutRight(page: Page): Promise<void> {
  await page.route('**/preview-change', (route) =>
    route.fulfill({
      status: 500,
      json: { success: false, error: { code: 'INTERNAL_ERROR', message: '', requestId: 'r' } },
    }),
  )
  await page.goto('/plans')
  await page.getByRole('button', { name: 'Fazer Upgrade: Profissional' }).click()
  const checkout = page.getByRole('dialog', { name: 'Pagamento Seguro' })
  await expect(checkout.getByText('Erro ao calcular preview da mudança')).toBeVisible()
  await checkout.getByRole('radio', { name: /PIX/ }).check()
  await checkout.getByRole('button', { name: 'Pagar R$ 99,90' }).click()
  await expect(checkout.getByText('O valor foi atualizado. Confira e confirme novamente')).toBeVisible()
  await expect(checkout.getByRole('button', { name: 'Pagar R$ 99,90' })).toBeHidden()
  expect(await payments(page)).toHaveLength(1)
  await checkout.getByRole('button', { name: /^Pagar/ }).click()
  await resultDialog(page, 'Pagamento Pendente')
  expect(await payments(page)).toHaveLength(2)
}
