// The people of a run: read from the seeded file (ACCOUNTS), else made through the API as anyone would be, which needs
// the development mailbox. They sign in once, in `setup`; a user whose access token nears its end signs in again.

import http from 'k6/http'
import exec from 'k6/execution'
import { fail, sleep } from 'k6'
import { SharedArray } from 'k6/data'
import { BASE, get, post } from './api.js'

const PASSWORD = 'Carga#2026ponto'
/** An access token lives 15 minutes. */
const TOKEN_AGE_MS = 12 * 60_000
const AT_ONCE = 4

const seeded = new SharedArray('accounts', () => (__ENV.ACCOUNTS ? JSON.parse(open(__ENV.ACCOUNTS)) : []))

/** `count` people, or as many as were seeded, with a company each, signed in. For `setup`. */
export function people(count) {
  const accounts = seeded.length > 0 ? seeded.slice(0, count) : Array.from({ length: count }, register)
  const everybody = []
  for (let from = 0; from < accounts.length; from += AT_ONCE) {
    const some = accounts.slice(from, from + AT_ONCE)
    http.batch(some.map(signInRequest)).forEach((response, index) => {
      const { email, password, companyId } = some[index]
      everybody.push({ email, password, companyId, token: tokenOf(some[index], response), at: Date.now() })
    })
  }
  return everybody
}

/** The person of this virtual user, of a shape that spreads the users over the people. */
export const mine = (everybody) => everybody[exec.vu.idInTest % everybody.length]

/** The people in turn, for work that needs no live socket. */
export const nth = (everybody, index) => everybody[index % everybody.length]

const renewed = new Map()

/** A token that is good for some minutes more. What runs longer than that goes on with a session of its own. */
export function bearer(person) {
  const known = renewed.get(person.email)
  if (!known && Date.now() - person.at < TOKEN_AGE_MS) return person.token
  if (known && Date.now() - known.at < TOKEN_AGE_MS) return known.accessToken
  const { data } = known ? post('/api/auth/refresh', { body: { refreshToken: known.refreshToken } }) : signIn(person)
  if (data) renewed.set(person.email, { ...data.tokens, at: Date.now() })
  return data ? data.tokens.accessToken : person.token
}

export const signIn = ({ email, password }) => post('/api/auth/login', { body: { userEmail: email, password } })

function signInRequest({ email, password }) {
  return {
    method: 'POST',
    url: `${BASE}/api/auth/login`,
    body: JSON.stringify({ userEmail: email, password }),
    params: { headers: { 'Content-Type': 'application/json' }, tags: { name: 'POST /api/auth/login' } },
  }
}

function tokenOf({ email }, response) {
  if (response.status !== 200) fail(`${email} cannot sign in: ${response.status} ${response.body}`)
  return response.json('data.tokens.accessToken')
}

/** Register, verify by the mailed code, sign in, open a company. */
export function register() {
  const email = `carga-${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 10)}@example.com`
  const account = { email, password: PASSWORD }
  post('/api/auth/register', { body: form(email), expect: [201] })
  post('/api/auth/verify-email', { body: { userEmail: email, verificationCode: mailedCode(email) } })
  const { data } = signIn(account)
  if (!data) fail(`${email} cannot sign in`)
  const token = data.tokens.accessToken
  const founded = post('/api/companies', { token, body: { companyName: 'Ponto de carga' }, expect: [201] })
  return { ...account, companyId: founded.data.company.id }
}

const form = (email) => ({
  userName: 'Pessoa de Carga',
  userEmail: email,
  userDocument: cpf(),
  userPhone: '11987654321',
  userBirthDate: '1990-04-12',
  password: PASSWORD,
  password_confirmation: PASSWORD,
  consent_legal_terms: true,
  consent_privacy_terms: true,
  consent_lgpd_terms: true,
})

/** The mail is sent by a job: it may need a moment. */
function mailedCode(email) {
  for (let tries = 0; tries < 300; tries += 1) {
    const { messages = [] } = http
      .get(`${BASE}/dev/mailbox.json?to=${email}`, { tags: { name: 'GET /dev/mailbox.json' } })
      .json()
    const code = messages.length > 0 && /^\s*(\d{6})\s*$/m.exec(messages[0].text)
    if (code) return code[1]
    sleep(0.1)
  }
  return fail(`no code came to ${email}: without a development mailbox ACCOUNTS must name seeded accounts`)
}

/** A number with right check digits; nobody's. */
function cpf() {
  const digits = Array.from({ length: 9 }, () => Math.floor(Math.random() * 10))
  for (const first of [10, 11]) {
    const sum = digits.reduce((total, digit, index) => total + digit * (first - index), 0)
    digits.push(((sum * 10) % 11) % 10)
  }
  return digits.join('')
}

/** The platform administrator: of ADMIN_EMAIL and ADMIN_PASSWORD, else of the demo. */
export function administrator() {
  const email = __ENV.ADMIN_EMAIL || 'admin@bipe.localhost'
  const password = __ENV.ADMIN_PASSWORD || 'Bipe#Demo2026'
  const { data } = signIn({ email, password })
  if (!data) fail(`the administrator ${email} cannot sign in`)
  return { email, password, token: data.tokens.accessToken, at: Date.now() }
}

export function plan(name) {
  const { data } = get('/api/subscriptions/plans')
  return data.plans.find((one) => one.name === name) || fail(`there is no plan ${name}`)
}
