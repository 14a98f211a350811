// The REST side of a virtual user: one function that calls, checks the status and counts what was not expected.
// Called by every scenario. Every call has a `name`, so that ids in paths do not make a metric each.

import http from 'k6/http'
import { check } from 'k6'

export const BASE = (__ENV.BASE_URL || 'http://127.0.0.1:8080').replace(/\/$/, '')
const EXPECTED = [200]

/**
 * Calls the API. `expect` lists the statuses that are right; any other fails the check and counts as a failed request.
 * Returns `{ ok, status, data, error }`.
 */
export function call(method, path, options = {}) {
  const response = http.request(method, BASE + path, bodyOf(options), paramsOf(method, path, options))
  return answer(response, method, path, options)
}

export const get = (path, options) => call('GET', path, options)
export const post = (path, options) => call('POST', path, options)

/** The same without waiting in the way of this user's sockets. */
export async function callBeside(method, path, options = {}) {
  const response = await http.asyncRequest(method, BASE + path, bodyOf(options), paramsOf(method, path, options))
  return answer(response, method, path, options)
}

const nameOf = (method, path, { name = path }) => `${method} ${name}`

const bodyOf = ({ body }) => (body === undefined ? null : JSON.stringify(body))

const paramsOf = (method, path, options) => ({
  headers: headersOf(options),
  tags: { name: nameOf(method, path, options) },
  responseCallback: http.expectedStatuses(...(options.expect ?? EXPECTED)),
  timeout: '60s',
})

function headersOf({ token, requestId, key }) {
  const headers = { 'Content-Type': 'application/json' }
  if (token) headers.Authorization = `Bearer ${token}`
  if (requestId) headers['x-request-id'] = requestId
  if (key) headers['Idempotency-Key'] = key
  return headers
}

function answer(response, method, path, options) {
  const name = nameOf(method, path, options)
  const ok = (options.expect ?? EXPECTED).includes(response.status)
  check(response, { [name]: () => ok })
  const { data = null, error = null } = readJson(response.body)
  if (!ok) console.warn(`${name}: ${response.status} ${response.error} ${error ? error.code : ''}`)
  return { ok, status: response.status, data, error }
}

function readJson(body) {
  try {
    return (body && JSON.parse(body)) || {}
  } catch {
    return {}
  }
}
