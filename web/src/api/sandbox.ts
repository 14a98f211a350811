// The sandbox provider as the browser reaches it: the wire format of Stripe with the publishable key, and the control
// calls with which people and tests settle a payment. Our own access token never goes there.
import { fetchOnce } from './client'
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
  last_setup_error?: SandboxError
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
  return post(access, `${pathOf(clientSecret)}/confirm`, { client_secret: clientSecret })
}

/** What the payer, or who saves a card, answers on the bank's 3-D Secure page. */
export async function authenticateIntent(
  access: SandboxAccess,
  clientSecret: string,
  outcome: 'succeeded' | 'failed',
): Promise<SandboxIntent> {
  await post(access, `/test${pathOf(clientSecret)}/authenticate`, { client_secret: clientSecret, outcome })
  return readIntent(access, clientSecret)
}

export function readIntent(access: SandboxAccess, clientSecret: string): Promise<SandboxIntent> {
  return request(access, `${pathOf(clientSecret)}?client_secret=${encodeURIComponent(clientSecret)}`)
}

/** Ends what waits: pays, expires or refuses an open PIX or boleto. */
export async function settleIntent(access: SandboxAccess, intentId: string, outcome: SettleOutcome): Promise<void> {
  await post(access, `/test/payment_intents/${encodeURIComponent(intentId)}/settle`, { outcome })
}

/** Of the PaymentIntent or SetupIntent that the secret belongs to. */
function pathOf(clientSecret: string): string {
  const id = clientSecret.split('_secret_')[0] ?? ''
  return `/${id.startsWith('seti_') ? 'setup' : 'payment'}_intents/${encodeURIComponent(id)}`
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
  const response = await fetchOnce(
    new Request(url, { ...init, headers: { authorization: `Bearer ${publishableKey}` } }),
  )
  const answer = (await response.json().catch(() => ({}))) as T & { error?: SandboxError }
  if (!response.ok) throw ProviderRefusal.of(answer.error)
  return answer
}
