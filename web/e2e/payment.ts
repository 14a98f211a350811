// Steps of a purchase, as a person takes them: plan, preview, method, payment.
import { expect, type Locator, type Page } from '@playwright/test'

/** From anywhere to the open payment modal of a first subscription. */
export async function choosePlan(page: Page, plan: string): Promise<Locator> {
  await page.goto('/plans')
  return choosePlanHere(page, plan)
}

/** The same on the open page of the plans. */
export async function choosePlanHere(page: Page, plan: string): Promise<Locator> {
  const preview = await openPreview(page, `Assinar: ${plan}`)
  await preview.getByRole('button', { name: 'Confirmar Mudança' }).click()
  const checkout = page.getByRole('dialog', { name: `Assinar ${plan}` })
  await expect(checkout.getByText('Ambiente de testes')).toBeVisible()
  return checkout
}

/** What the button of a plan opens; waits for the price. */
export async function openPreview(page: Page, button: string): Promise<Locator> {
  await page.getByRole('button', { name: button, exact: true }).click()
  const preview = page.getByRole('dialog', { name: 'Preview da Mudança' })
  await expect(preview.getByText('Total hoje')).toBeVisible()
  return preview
}

export async function payByPix(page: Page, plan: string): Promise<Locator> {
  return payPix(page, await choosePlan(page, plan))
}

/** From the open payment modal to the code. */
export async function payPix(page: Page, checkout: Locator): Promise<Locator> {
  await checkout.getByRole('radio', { name: /PIX/ }).check()
  await checkout.getByRole('button', { name: /^Pagar/ }).click()
  return resultDialog(page, 'Pagamento Pendente')
}

export async function typeCard(checkout: Locator, number: string): Promise<void> {
  await checkout.getByLabel('Número do cartão').fill(number)
  await checkout.getByLabel('Validade').fill('12/34')
  await checkout.getByLabel('CVC').fill('123')
}

/** What a boleto asks for beside the tax id. */
export async function typeAddress(checkout: Locator): Promise<void> {
  await checkout.getByLabel('CEP').fill('01310100')
  await checkout.getByLabel('Endereço').fill('Avenida Paulista, 1000')
  await checkout.getByLabel('Cidade').fill('São Paulo')
  await checkout.getByLabel('UF').selectOption('SP')
}

/** The result dialog under the title; waits for it. */
export async function resultDialog(page: Page, title: string): Promise<Locator> {
  const dialog = page.getByRole('dialog', { name: title })
  await expect(dialog).toBeVisible({ timeout: 20_000 })
  return dialog
}

/** What the subscription card of the plans page says. */
export async function expectActive(page: Page, plan: string): Promise<void> {
  const card = page
    .getByRole('main')
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: plan, level: 2 }) })
  await expect(card.getByText('Ativo', { exact: true })).toBeVisible()
  await expect(card.getByText(/^(Vence|Renova|Muda para .+) em \d\d\/\d\d\/\d{4}/)).toBeVisible()
}

/** Payments of the selected company, by the API. */
export async function payments(page: Page): Promise<{ id: string; status: string; amount: number }[]> {
  return page.evaluate(async () => {
    const company = sessionStorage.getItem('bipe.companyId') ?? localStorage.getItem('bipe.companyId') ?? ''
    const answer = await fetch(`/api/payments/company/${company}`, {
      headers: { authorization: `Bearer ${localStorage.getItem('bipe.accessToken')}` },
    })
    return ((await answer.json()) as { data: { payments: { id: string; status: string; amount: number }[] } }).data
      .payments
  })
}
