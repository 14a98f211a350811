// The sandbox provider as the browser reaches it: the wire format of Stripe with the publishable key, and the control
// calls with which people and tests settle a payment. Our own access token never goes there.
import { once } from './client'
import { ProviderRefusal } from './errors'
import type { Provider } from './payments'

type SandboxAccess = Pick<Provider, 'apiBase' | 'publishableKey'>

export interface CardData {
  number: string
  expMonth: number
  expYear: number
  cvc: string
}

type SandboxError = Parameters<typeof ProviderRefusal.of>[0]

export interface SandboxIntent {
  status: string
  last_payment_error?: SandboxError
}

export type SettleOutcome = 'succeeded' | 'expired' | 'failed'

export function createCard(
  access: SandboxAccess,
  card: CardData,
  billing: { name: string; email: string },
): Promise<{ id: string }> {
  return post(access, '/payment_methods', {
    type: 'card',
    'card[number]': card.number,
    'card[exp_month]': String(card.expMonth),
    'card[exp_year]': String(card.expYear),
    'card[cvc]': card.cvc,
    'billing_details[name]': billing.name,
    'billing_details[email]': billing.email,
  })
}

export function confirmIntent(access: SandboxAccess, clientSecret: string): Promise<SandboxIntent> {
  return post(access, `/payment_intents/${intentOf(clientSecret)}/confirm`, { client_secret: clientSecret })
}

/** What the payer answers on the bank's 3-D Secure page. */
export async function authenticateIntent(
  access: SandboxAccess,
  clientSecret: string,
  outcome: 'succeeded' | 'failed',
): Promise<SandboxIntent> {
  const path = `/payment_intents/${intentOf(clientSecret)}`
  await post(access, `/test${path}/authenticate`, { client_secret: clientSecret, outcome })
  return readIntent(access, clientSecret)
}

export function readIntent(access: SandboxAccess, clientSecret: string): Promise<SandboxIntent> {
  const path = `/payment_intents/${intentOf(clientSecret)}`
  return request(access, `${path}?client_secret=${encodeURIComponent(clientSecret)}`)
}

/** Ends what waits: pays, expires or refuses an open PIX or boleto. */
export async function settleIntent(access: SandboxAccess, intentId: string, outcome: SettleOutcome): Promise<void> {
  await post(access, `/test/payment_intents/${encodeURIComponent(intentId)}/settle`, { outcome })
}

function intentOf(clientSecret: string): string {
  return encodeURIComponent(clientSecret.split('_secret_')[0] ?? '')
}

function post<T>(access: SandboxAccess, path: string, form: Record<string, string>): Promise<T> {
  return request(access, path, { method: 'POST', body: new URLSearchParams(form) })
}

async function request<T>(
  { apiBase = '/sandbox/v1', publishableKey }: SandboxAccess,
  path: string,
  init: RequestInit = {},
): Promise<T> {
  const url = new URL(`${apiBase}${path}`, location.origin)
  const response = await once(new Request(url, { ...init, headers: { authorization: `Bearer ${publishableKey}` } }))
  const answer = (await response.json().catch(() => ({}))) as T & { error?: SandboxError }
  if (!response.ok) throw ProviderRefusal.of(answer.error)
  return answer
}
