// A payment that somebody has to decide on, made by requests: its screens have journeys of their own.
import { expect, type APIRequestContext, type Page } from '@playwright/test'
import { startPayment } from './setup'

/** What may be sent, and by whom. */
type Call = Parameters<APIRequestContext['post']>[1] & { by: string }

async function post<T>(page: Page, path: string, { by, ...call }: Call): Promise<T> {
  const headers = { authorization: `Bearer ${by}`, 'idempotency-key': crypto.randomUUID() }
  const response = await page.request.post(path, { ...call, headers })
  expect(response.status(), `POST ${path}: ${await response.text()}`).toBeLessThan(300)
  return (await response.json()) as T
}

/** The provider's amount of an open payment becomes another one: R$ 59,90. */
export async function changeProviderAmount(page: Page, transactionId: string): Promise<void> {
  await post(page, `/sandbox/v1/payment_intents/${transactionId}`, { by: 'sk_test_sandbox', form: { amount: '5990' } })
}

/** The selected company pays R$ 49,90 by card, and the provider takes another amount. */
export async function createPaymentUnderReview(page: Page): Promise<void> {
  const payer = 'pk_test_sandbox'
  const number = { type: 'card', 'card[number]': '4242424242424242' }
  const form = { ...number, 'card[exp_month]': '12', 'card[exp_year]': '2034', 'card[cvc]': '123' }
  const card = await post<{ id: string }>(page, '/sandbox/v1/payment_methods', { by: payer, form })
  const { payment, client_secret = '' } = await startPayment(page, 'Essencial', { payment_method: card.id })
  await changeProviderAmount(page, payment.transactionId)
  const path = `/sandbox/v1/payment_intents/${payment.transactionId}/confirm`
  await post(page, path, { by: payer, form: { client_secret } })
}
