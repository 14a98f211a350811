// People, sessions and companies that a journey begins with, made by the API: sign-up, sign-in and the company's
// creation have journeys of their own, and nothing here waits for a screen.
import { expect, type APIRequestContext, type Page } from '@playwright/test'
import { codeFor, type Person } from './person'

type Credentials = Pick<Person, 'email' | 'password'>

interface Session {
  user: { id: string; userName: string; userEmail: string; userRole: string }
  tokens: { accessToken: string; refreshToken: string }
}

/** A call that must succeed, and the origin that answered it. */
export async function post<T>(
  request: APIRequestContext,
  path: string,
  data: object,
  token?: string,
): Promise<{ data: T; origin: string }> {
  const headers = { 'idempotency-key': crypto.randomUUID(), ...(token && { authorization: `Bearer ${token}` }) }
  const response = await request.post(path, { data, headers })
  expect(response.status(), `POST ${path}: ${await response.text()}`).toBeLessThan(300)
  const { data: answer } = (await response.json()) as { data: T }
  return { data: answer, origin: new URL(response.url()).origin }
}

/** An account whose address is not verified yet. Answers what shows later who has registered it. */
export async function registerUnverified(request: APIRequestContext, person: Person): Promise<string> {
  const { data } = await post<{ registration: string }>(request, '/api/auth/register', {
    userName: person.name,
    userEmail: person.email,
    userDocument: person.cpf,
    userPhone: '11987654321',
    userBirthDate: '1990-05-17',
    password: person.password,
    password_confirmation: person.password,
    consent_legal_terms: true,
    consent_privacy_terms: true,
    consent_lgpd_terms: true,
  })
  return data.registration
}

interface Arrival {
  data: Session
  origin: string
}

/** A verified account, and the session that its code starts. */
export async function registerVerified(request: APIRequestContext, person: Person): Promise<Arrival> {
  const registration = await registerUnverified(request, person)
  const verificationCode = await codeFor(request, person.email)
  return post(request, '/api/auth/verify-email', { userEmail: person.email, verificationCode, registration })
}

/** A session by the API; nothing of it is in a browser. */
export function logIn(request: APIRequestContext, { email, password }: Credentials): Promise<Arrival> {
  return post<Session>(request, '/api/auth/login', { userEmail: email, password })
}

/** Leaves in the page's browser what its own sign-in and the choice of the company would have left; opens nothing. */
async function store(page: Page, { data: { user, tokens }, origin }: Arrival, companyId?: string): Promise<void> {
  const { id, userName, userEmail, userRole } = user
  const stored = {
    'bipe.user': JSON.stringify({ id, userName, userEmail, userRole }),
    'bipe.accessToken': tokens.accessToken,
    'bipe.refreshToken': tokens.refreshToken,
    'bipe.lastActivity': String(Date.now()),
    ...(companyId && { 'bipe.companyId': companyId }),
  }
  // An answer without scripts: whatever stood there must not write into the storage any more.
  await page.goto(`${origin}/health`)
  await page.evaluate((entries) => {
    localStorage.clear()
    sessionStorage.removeItem('bipe.companyId')
    for (const [name, value] of Object.entries(entries)) localStorage.setItem(name, value)
  }, stored)
}

/** Somebody with an account, signed in. Nothing is open yet. */
export async function signIn(page: Page, who: Credentials): Promise<void> {
  await store(page, await logIn(page.request, who))
}

/** The same, at the path. */
export async function signInAt(page: Page, who: Credentials, path = '/dashboard'): Promise<void> {
  await signIn(page, who)
  await page.goto(path)
}

/** A new person without a company, signed in, at the path. */
export async function newUserAt(page: Page, person: Person, path = '/dashboard'): Promise<void> {
  await store(page, await registerVerified(page.request, person))
  await page.goto(path)
}

/** A new person with a company, signed in. Nothing is open yet: the journey goes to where it begins. */
export async function newCompanyOwner(page: Page, person: Person, companyName: string): Promise<void> {
  const arrival = await registerVerified(page.request, person)
  const { accessToken } = arrival.data.tokens
  const { data } = await post<{ company: { id: string } }>(page.request, '/api/companies', { companyName }, accessToken)
  await store(page, arrival, data.company.id)
}

/** The same, at the path. */
export async function newCompanyOwnerAt(
  page: Page,
  person: Person,
  companyName: string,
  path = '/dashboard',
): Promise<void> {
  await newCompanyOwner(page, person, companyName)
  await page.goto(path)
}
