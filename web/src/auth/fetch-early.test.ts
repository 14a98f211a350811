// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { takeEarlyAnswer } from '../api/early-answers'
import { fetchEarly } from './fetch-early'
import { KEYS } from './session'

const COMPANY = '019af89d-0780-7795-8e2a-ec49a155cf56'
const asked = vi.fn<typeof fetch>()

function tokenUntil(seconds: number): string {
  const text = JSON.stringify({ exp: Date.now() / 1000 + seconds, name: 'José ~ÿ?>' })
  const payload = Buffer.from(text).toString('base64url')
  return `header.${payload}.mac`
}

function get(path: string, token: string, method = 'GET'): Request {
  return new Request(new URL(path, location.href), { method, headers: { authorization: `Bearer ${token}` } })
}

const pathsAsked = () => asked.mock.calls.map(([path]) => path)

beforeEach(() => {
  asked.mockImplementation(async (path) => new Response(String(path)))
  vi.stubGlobal('fetch', asked)
  history.replaceState(null, '', '/dashboard')
})

afterEach(() => {
  asked.mockReset()
  localStorage.clear()
  sessionStorage.clear()
  globalThis.bipeEarlyAnswers = undefined
})

it('asks for the person, the companies and the subscription of the company of this tab', async () => {
  const token = tokenUntil(60)
  localStorage.setItem(KEYS.accessToken, token)
  localStorage.setItem(KEYS.companyId, 'another')
  sessionStorage.setItem(KEYS.companyId, COMPANY)
  fetchEarly()
  const subscription = `/api/subscriptions/company/${COMPANY}`
  expect(pathsAsked()).toEqual(['/api/auth/me', '/api/companies', subscription])
  expect(asked.mock.calls[0]?.[1]?.headers).toMatchObject({ authorization: `Bearer ${token}` })
  expect(await (await takeEarlyAnswer(get(subscription, token)))?.text()).toBe(subscription)
})

it('asks for no subscription in the area of the platform, and for none before a company was chosen', () => {
  localStorage.setItem(KEYS.accessToken, tokenUntil(60))
  fetchEarly()
  localStorage.setItem(KEYS.companyId, COMPANY)
  history.replaceState(null, '', '/admin/companies')
  fetchEarly()
  expect(pathsAsked().filter((path) => String(path).includes('subscriptions'))).toEqual([])
  expect(pathsAsked()).toHaveLength(4)
})

it.each([
  ['nobody is signed in', null],
  ['the token has expired', tokenUntil(-1)],
  ['the token tells no end', `header.${btoa('{}')}.mac`],
  ['the storage holds no token', 'token'],
  ['the payload cannot be read', 'header.%%%.mac'],
])('asks for nothing when %s', (_, token) => {
  if (token !== null) localStorage.setItem(KEYS.accessToken, token)
  fetchEarly()
  expect(pathsAsked()).toEqual([])
})

it('gives each answer once, to the same call with the same token', async () => {
  const token = tokenUntil(60)
  localStorage.setItem(KEYS.accessToken, token)
  fetchEarly()
  expect(takeEarlyAnswer(get('/api/auth/me', token, 'PUT'))).toBeUndefined()
  expect(takeEarlyAnswer(get('/api/auth/me?x=1', token))).toBeUndefined()
  expect(await (await takeEarlyAnswer(get('/api/auth/me', token)))?.text()).toBe('/api/auth/me')
  expect(takeEarlyAnswer(get('/api/auth/me', token))).toBeUndefined()
  expect(takeEarlyAnswer(get('/api/companies', 'renewed'))).toBeUndefined()
  expect(takeEarlyAnswer(get('/api/companies', token))).toBeUndefined()
})

it('gives no answer that is older than half a minute', () => {
  const token = tokenUntil(60)
  localStorage.setItem(KEYS.accessToken, token)
  vi.useFakeTimers({ toFake: ['performance'] })
  fetchEarly()
  vi.advanceTimersByTime(30_001)
  expect(takeEarlyAnswer(get('/api/auth/me', token))).toBeUndefined()
})

it('leaves no refusal unheard that nobody takes', async () => {
  asked.mockRejectedValue(new TypeError('no network'))
  localStorage.setItem(KEYS.accessToken, tokenUntil(60))
  const unheard = vi.fn()
  process.on('unhandledRejection', unheard)
  fetchEarly()
  await new Promise((resolve) => setTimeout(resolve, 10))
  process.off('unhandledRejection', unheard)
  expect(unheard).not.toHaveBeenCalled()
})
