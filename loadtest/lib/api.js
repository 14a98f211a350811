// The REST side of a virtual user: one function that calls, checks the status and counts what was not expected.
// Called by every scenario. Every call has a `name`, so that ids in paths do not make a metric each.

import http from 'k6/http'
import { check } from 'k6'

export const BASE = (__ENV.BASE_URL || 'http://127.0.0.1:8080').replace(/\/$/, '')

/**
 * Calls the API. `expect` lists the statuses that are right; any other fails the check and counts as a failed request.
 * Returns `{ ok, status, data, error }`.
 */
export function call(method, path, options = {}) {
  const { body, name = path, expect = [200], ...rest } = options
  const response = http.request(method, BASE + path, body === undefined ? null : JSON.stringify(body), {
    headers: headersOf(options),
    tags: { name: `${method} ${name}` },
    responseCallback: http.expectedStatuses(...expect),
    timeout: rest.timeout || '60s',
  })
  return answer(response, `${method} ${name}`, expect)
}

export const get = (path, options) => call('GET', path, options)
export const post = (path, options) => call('POST', path, options)
export const put = (path, options) => call('PUT', path, options)

/** The same without waiting in the way of this user's sockets. */
export async function callBeside(method, path, options = {}) {
  const { body, name = path, expect = [200] } = options
  const response = await http.asyncRequest(method, BASE + path, body === undefined ? null : JSON.stringify(body), {
    headers: headersOf(options),
    tags: { name: `${method} ${name}` },
    responseCallback: http.expectedStatuses(...expect),
    timeout: '60s',
  })
  return answer(response, `${method} ${name}`, expect)
}

function headersOf({ token, requestId, key }) {
  const headers = { 'Content-Type': 'application/json' }
  if (token) headers.Authorization = `Bearer ${token}`
  if (requestId) headers['x-request-id'] = requestId
  if (key) headers['Idempotency-Key'] = key
  return headers
}

function answer(response, what, expect) {
  const ok = expect.includes(response.status)
  check(response, { [what]: () => ok })
  const { data = null, error = null } = readJson(response.body)
  if (!ok) console.warn(`${what}: ${response.status} ${response.error} ${error ? error.code : ''}`)
  return { ok, status: response.status, data, error }
}

function readJson(body) {
  try {
    return (body && JSON.parse(body)) || {}
  } catch {
    return {}
  }
}
