// What a journey needs to stand before it begins, by the API, as the signed-in person of the page: subscriptions, plans
// of its own, other members, and another time. The journeys themselves use the screens.
import { expect, type APIRequestContext, type Page } from '@playwright/test'
import { signInAt, logIn } from './arrival'
import { DEMO_ADMIN, SOON, type Person } from './person'

interface Subscription {
  status: string
  nextBillingDate?: string
  price: number
}

interface Call {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  body?: object
  token: string
}

async function call<T>(request: APIRequestContext, path: string, { method = 'GET', body, token }: Call): Promise<T> {
  const key = crypto.randomUUID()
  const response = await request.fetch(path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'idempotency-key': key },
    ...(body && { data: body }),
  })
  expect(response.status(), `${method} ${path}: ${await response.text()}`).toBeLessThan(300)
  return response.status() === 204 ? (undefined as T) : ((await response.json()) as { data: T }).data
}

/** The session of the page: its token, and the company that its tab has selected. */
export async function sessionOf(page: Page): Promise<{ token: string; company: string }> {
  await expect
    .poll(
      () => page.evaluate(() => sessionStorage.getItem('bipe.companyId') ?? localStorage.getItem('bipe.companyId')),
      SOON,
    )
    .not.toBeNull()
  return page.evaluate(() => ({
    token: localStorage.getItem('bipe.accessToken') ?? '',
    company: sessionStorage.getItem('bipe.companyId') ?? localStorage.getItem('bipe.companyId') ?? '',
  }))
}

export async function companyOf(page: Page): Promise<string> {
  return (await sessionOf(page)).company
}

type Cycle = 'monthly' | 'quarterly' | 'yearly'

type NewPayment = { payment: { transactionId: string }; client_secret?: string }

/** The selected company chooses the plan and starts to pay; `paymentMethod` are the fields of the request. */
export async function startPayment(
  page: Page,
  plan: string,
  paymentMethod: object,
  billingCycle: Cycle = 'monthly',
): Promise<NewPayment> {
  const { token, company } = await sessionOf(page)
  const { plans } = await call<{ plans: Plan[] }>(page.request, '/api/subscriptions/plans', { token })
  const choice = { planId: plans.find(({ displayName }) => displayName === plan)?.id, billingCycle }
  const { preview } = await call<{ preview: { quoteId: string; changeType: string; billing: { amountDue: number } } }>(
    page.request,
    `/api/subscriptions/company/${company}/preview-change`,
    { method: 'POST', body: choice, token },
  )
  const { user } = await call<{ user: Record<'id' | 'userName' | 'userEmail', string> }>(page.request, '/api/auth/me', {
    token,
  })
  return call<NewPayment>(page.request, '/api/payments/process', {
    method: 'POST',
    token,
    body: {
      ...paymentMethod,
      amount: Math.round(preview.billing.amountDue * 100),
      currency: 'brl',
      customer: { id: user.id, name: user.userName, email: user.userEmail },
      metadata: { companyId: company, ...choice, changeType: preview.changeType, quoteId: preview.quoteId },
    },
  })
}

/** The same by PIX; answers the intent of the code at the provider. */
export async function openPix(page: Page, plan: string, billingCycle?: Cycle): Promise<string> {
  const { payment } = await startPayment(page, plan, { paymentMethod: { type: 'PIX' } }, billingCycle)
  return payment.transactionId
}

/** The selected company subscribes and pays by PIX. */
export async function subscribe(page: Page, plan: string, billingCycle?: Cycle): Promise<void> {
  await settleIntent(page, await openPix(page, plan, billingCycle))
  await expect.poll(async () => (await currentSubscription(page))?.status, SOON).toBe('active')
}

/** The payer's bank answers at the provider, without the page. */
export async function settleIntent(
  page: Page,
  transactionId: string,
  outcome: 'succeeded' | 'expired' | 'failed' = 'succeeded',
): Promise<void> {
  const response = await page.request.post(`/sandbox/v1/test/payment_intents/${transactionId}/settle`, {
    headers: { authorization: 'Bearer pk_test_sandbox' },
    form: { outcome },
  })
  expect(response.status(), await response.text()).toBe(200)
}

/** The open payment's intent at the provider. */
export async function openIntent(page: Page): Promise<string> {
  const { token, company } = await sessionOf(page)
  const { payments } = await call<{ payments: { transactionId: string }[] }>(
    page.request,
    `/api/payments/company/${company}`,
    { token },
  )
  return payments[0]?.transactionId ?? ''
}

export async function currentSubscription(page: Page): Promise<Subscription | null> {
  const { token, company } = await sessionOf(page)
  const response = await page.request.get(`/api/subscriptions/company/${company}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  return response.status() === 404
    ? null
    : ((await response.json()) as { data: { subscription: Subscription } }).data.subscription
}

/** Another company of the signed-in person; the one that the page has selected stays so. Answers its id. */
export async function addCompany(page: Page, companyName: string): Promise<string> {
  const { token } = await sessionOf(page)
  const body = { companyName }
  const { company } = await call<{ company: { id: string } }>(page.request, '/api/companies', {
    method: 'POST',
    body,
    token,
  })
  return company.id
}

/** Adds a person with a verified address to the selected company; invites one who has none. */
export async function addMember(page: Page, userEmail: string, role: 'admin' | 'operator' | 'finance'): Promise<void> {
  const { token, company } = await sessionOf(page)
  await call(page.request, `/api/companies/${company}/invite`, { method: 'POST', body: { userEmail, role }, token })
}

/**
 * Moves the server's clock, lets it do what is due by then, and signs the person in again: a session does not outlive
 * a week without use. Time moves for every journey, and only forward.
 */
export async function advanceDays(page: Page, person: Person, days: number, path?: string): Promise<void> {
  const moved = await page.request.post('/dev/clock', { data: { advanceSeconds: Math.ceil(days * 86_400) } })
  expect(moved.status()).toBe(200)
  // A call is cut short after 14 s, and what falls due in so many days may take longer.
  const run = () => page.request.post('/dev/jobs/run')
  let ran = await run()
  while (ran.status() === 503) ran = await run()
  expect(ran.status()).toBe(200)
  await signInAt(page, person, path)
}

/** To the given number of days after the instant. */
export async function advanceToDaysAfter(
  page: Page,
  person: Person,
  instant: string,
  days: number,
  path?: string,
): Promise<void> {
  const { now } = (await (await page.request.get('/dev/clock')).json()) as { now: string }
  await advanceDays(page, person, Math.max(0, (Date.parse(instant) - Date.parse(now)) / 86_400_000 + days), path)
}

interface Plan {
  id: string
  displayName: string
}

interface Prices {
  monthlyPrice: number
  quarterlyPrice: number
  yearlyPrice: number
}

/** A plan of the journey's own, so that changing it disturbs nobody; withdrawn at its end. */
export async function withPlan(
  page: Page,
  prices: Prices & { displayName?: string },
  journey: (plan: Plan, reprice: (next: Prices) => Promise<void>) => Promise<void>,
): Promise<void> {
  const token = await adminToken(page.request)
  const form = {
    displayName: `Sob medida ${crypto.randomUUID().slice(0, 8)}`,
    description: 'Um plano com preço próprio',
    features: ['Suporte por email'],
    limits: { maxUsers: 10, maxBeeping: 1000 },
    isPopular: false,
    isFree: false,
    hierarchy: 9,
    ...prices,
  }
  const { plan } = await call<{ plan: Plan }>(page.request, '/api/admin/plans', {
    method: 'POST',
    body: form,
    token,
  })
  try {
    await journey(plan, (next) =>
      call(page.request, `/api/admin/plans/${plan.id}`, { method: 'PUT', body: { ...form, ...next }, token }),
    )
  } finally {
    await call(page.request, `/api/admin/plans/${plan.id}/status`, {
      method: 'PUT',
      body: { status: 'inactive' },
      token,
    })
  }
}

/** Refuses every payment under review that earlier journeys left on this server. */
export async function refuseOpenReviews(request: APIRequestContext): Promise<void> {
  const token = await adminToken(request)
  const { payments } = await call<{ payments: { id: string }[] }>(
    request,
    '/api/admin/payments?review=true&limit=100',
    { token },
  )
  for (const { id } of payments) {
    await call(request, `/api/admin/payments/${id}/resolve`, {
      method: 'POST',
      body: { outcome: 'refuse', reason: 'De outra jornada' },
      token,
    })
  }
}

/** Makes the person a platform admin. */
export async function promote(request: APIRequestContext, { email }: Person): Promise<void> {
  const token = await adminToken(request)
  const { users } = await call<{ users: { id: string }[] }>(
    request,
    `/api/admin/users?search=${encodeURIComponent(email)}`,
    { token },
  )
  await call(request, `/api/admin/users/${users[0]?.id}`, { method: 'PUT', body: { role: 'admin' }, token })
}

async function adminToken(request: APIRequestContext): Promise<string> {
  return (await logIn(request, DEMO_ADMIN)).data.tokens.accessToken
}
