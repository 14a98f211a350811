// The transport against a real HTTP server whose answers each test scripts.
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { api, fetchOnce, setTokenSource, setStepUpHandler, transport, unwrap, unwrapFile } from './client'
import { ApiError } from './errors'

interface Answer {
  status?: number
  body?: string
  headers?: Record<string, string>
  /** Cut the connection instead of answering. */
  cut?: boolean
  /** Cut it behind the first bytes of the body. */
  breaksOff?: boolean
}

let server: Server
let origin: string
let script: Answer[]
let seen: { method: string | undefined; headers: IncomingMessage['headers']; body: string }[]

const data = (value: unknown) => JSON.stringify({ success: true, data: value })
const refusal = (code: string, fields?: Record<string, string | number>) =>
  JSON.stringify({ success: false, error: { code, message: code, fields, requestId: 'req-1' } })

beforeEach(async () => {
  script = []
  seen = []
  setTokenSource({ token: () => null, renew: async () => false })
  server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      seen.push({ method: request.method, headers: request.headers, body })
      const answer = script.shift() ?? { status: 500, body: 'script exhausted' }
      if (answer.cut) return request.socket.destroy()
      if (answer.breaksOff) {
        response.writeHead(answer.status ?? 200, { 'content-length': '1000' })
        return response.write('{"success":', () => request.socket.destroy())
      }
      return response.writeHead(answer.status ?? 200, answer.headers).end(answer.body ?? data({}))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

/** The wait before a next try passes at once; answers what each would have taken. The time limit of a call stays. */
function skipWaits(): number[] {
  const start = globalThis.setTimeout
  const waits: number[] = []
  vi.stubGlobal('setTimeout', (run: () => void, milliseconds: number) => {
    if (milliseconds > 10_000) return start(run, milliseconds)
    waits.push(milliseconds)
    return start(run)
  })
  return waits
}

/** A read by the generated client, at this test's server. */
function plans() {
  return unwrap(api.GET('/api/subscriptions/plans', { baseUrl: origin }))
}

function send(method: string, path: string, init: RequestInit = {}): Promise<Response> {
  return transport(new Request(origin + path, { method, ...init }))
}

describe('envelope', () => {
  it('hands out the data', async () => {
    script = [{ body: data({ plans: [] }) }]
    expect(await plans()).toEqual({ plans: [] })
  })

  it('answers nothing for a 204', async () => {
    script = [{ status: 204, body: '' }]
    expect(await plans()).toBeUndefined()
  })

  it('throws the code, the fields and the request id of a refusal', async () => {
    script = [{ status: 422, body: refusal('VALIDATION_ERROR', { userEmail: 'EMAIL_INVALID' }) }]
    const error = await plans().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({
      code: 'VALIDATION_ERROR',
      status: 422,
      fields: { userEmail: 'EMAIL_INVALID' },
      requestId: 'req-1',
    })
  })

  it.each([['<html>'], ['{"success":true}'], ['null'], ['{"success":false,"error":{"code":"X"}}']])(
    'calls the 200 answer %s unreadable',
    async (body) => {
      script = [{ body }]
      await expect(plans()).rejects.toMatchObject({ code: 'PARSE_ERROR' })
    },
  )

  it.each([['<html>'], ['null'], ['{"error":"no"}']])('calls the 502 answer %s an HTTP error', async (body) => {
    script = [{ status: 502, body, headers: { 'x-request-id': 'req-2' } }]
    await expect(plans()).rejects.toMatchObject({ code: 'HTTP_ERROR', status: 502, requestId: 'req-2' })
  })

  it("takes a file for one by its name, and no other's page", async () => {
    const download = () => unwrapFile(api.GET('/api/auth/me/export', { baseUrl: origin, parseAs: 'blob' }))
    const named = { 'content-type': 'application/json', 'content-disposition': 'attachment; filename="bipe.json"' }
    script = [
      { body: '{}', headers: named },
      { body: '<html>', headers: { 'content-type': 'text/html' } },
    ]
    expect(await (await download()).text()).toBe('{}')
    await expect(download()).rejects.toMatchObject({ code: 'PARSE_ERROR' })
  })

  it('keeps Retry-After of a rate limit', async () => {
    script = [{ status: 429, headers: { 'retry-after': '42' }, body: refusal('RATE_LIMITED') }]
    await expect(plans()).rejects.toMatchObject({
      retryAfter: 42,
      sentence: 'Muitas tentativas. Tente novamente em 42 s.',
    })
  })

  it('reports a broken connection and an abort as what they are', async () => {
    const waits = skipWaits()
    script = [{ cut: true }, { cut: true }, { cut: true }]
    await expect(plans()).rejects.toMatchObject({ code: 'NETWORK_ERROR' })
    expect(waits).toEqual([500, 1500])
    const leaving = AbortSignal.abort()
    await expect(
      unwrap(api.GET('/api/subscriptions/plans', { baseUrl: origin, signal: leaving })),
    ).rejects.toHaveProperty('name', 'AbortError')
  })
})

describe('time limit', () => {
  // Before the test's server is closed, which waits.
  afterEach(() => void vi.useRealTimers())

  /** An answer whose body takes 40 s, unless the call is given up before. */
  function answerSlowly(headers: Record<string, string>, request = new Request('http://bipe.example/api/companies')) {
    vi.useFakeTimers()
    const body = (signal: AbortSignal) =>
      new ReadableStream({
        start(stream) {
          const end = setTimeout(() => {
            stream.enqueue(new TextEncoder().encode('%PDF'))
            stream.close()
          }, 40_000)
          signal.addEventListener('abort', () => {
            clearTimeout(end)
            stream.error(signal.reason)
          })
        },
      })
    vi.stubGlobal('fetch', async (_: Request, { signal }: { signal: AbortSignal }) => {
      return new Response(body(signal), { headers })
    })
    return fetchOnce(request).catch((thrown: unknown) => thrown)
  }

  it('is not waited for when the caller leaves, who is then listened to no longer', async () => {
    const leaving = new AbortController()
    const request = new Request('http://bipe.example/api/companies', { signal: leaving.signal })
    const unheard = vi.spyOn(request.signal, 'removeEventListener')
    const answer = answerSlowly({}, request)
    leaving.abort()
    expect(await answer).toHaveProperty('name', 'AbortError')
    expect(unheard).toHaveBeenCalledExactlyOnceWith('abort', expect.any(Function))
  })

  it('is 15 s for an answer, with its body', async () => {
    const answer = answerSlowly({})
    await vi.advanceTimersByTimeAsync(15_000)
    expect(await answer).toMatchObject({ code: 'NETWORK_ERROR', sentence: 'Timeout na requisição' })
  })

  it('is longer for a file that has begun to come', async () => {
    const answer = answerSlowly({ 'content-disposition': 'attachment; filename="faturas-2026.zip"' })
    await vi.advanceTimersByTimeAsync(40_000)
    expect(await ((await answer) as Response).text()).toBe('%PDF')
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('request id', () => {
  it('is sent with every call and is the same in every attempt', async () => {
    script = [{ status: 503, headers: { 'retry-after': '0' } }, {}]
    await send('GET', '/api/companies')
    const ids = seen.map(({ headers }) => headers['x-request-id'])
    expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/)
    expect(ids[1]).toBe(ids[0])
  })

  it('is the one of the caller when there is one', async () => {
    script = [{}]
    await send('GET', '/api/companies', { headers: { 'x-request-id': 'mine' } })
    expect(seen[0]?.headers['x-request-id']).toBe('mine')
  })
})

describe('trace', () => {
  it('names a new trace for each command, and none for a read', async () => {
    script = [{}, {}, {}]
    await send('POST', '/api/companies')
    await send('PUT', '/api/auth/me')
    await send('GET', '/api/companies')
    const [first, second, read] = seen.map(({ headers }) => headers['traceparent'])
    expect(first).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)
    expect(second).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)
    expect(second).not.toBe(first)
    expect(read).toBeUndefined()
  })

  it('stays in the trace when a command is repeated', async () => {
    script = [{ status: 503, headers: { 'retry-after': '0' } }, {}]
    await send('POST', '/api/payments/process', { headers: { 'idempotency-key': 'k' } })
    const [first, again] = seen.map(({ headers }) => headers['traceparent'])
    expect(first).toMatch(/^00-/)
    expect(again).toBe(first)
  })
})

describe('retries', () => {
  it('repeats a read twice on 503 and then hands out the refusal', async () => {
    const busy = { status: 503, headers: { 'retry-after': '0' }, body: refusal('SERVICE_UNAVAILABLE') }
    script = [busy, busy, busy]
    expect((await send('GET', '/api/companies')).status).toBe(503)
    expect(seen).toHaveLength(3)
  })

  it('repeats a keyed POST with its body', async () => {
    script = [{ status: 503, headers: { 'retry-after': '0' } }, {}]
    await send('POST', '/api/payments/process', { body: '{"amount":9990}', headers: { 'idempotency-key': 'k1' } })
    expect(seen.map(({ body }) => body)).toEqual(['{"amount":9990}', '{"amount":9990}'])
  })

  it('never repeats a POST without a key', async () => {
    script = [{ status: 503, headers: { 'retry-after': '0' }, body: refusal('SERVICE_UNAVAILABLE') }]
    expect((await send('POST', '/api/companies')).status).toBe(503)
    expect(seen).toHaveLength(1)
  })

  it('repeats a read whose connection broke', async () => {
    skipWaits()
    script = [{ cut: true }, {}]
    expect((await send('GET', '/api/companies')).status).toBe(200)
    expect(seen).toHaveLength(2)
  })

  it('repeats a read whose answer broke off, and takes that of a POST for none', async () => {
    skipWaits()
    script = [{ breaksOff: true }, { body: data({ plans: [] }) }]
    expect(await plans()).toEqual({ plans: [] })
    script = [{ breaksOff: true, status: 201 }]
    const call = unwrap(api.POST('/api/auth/live-ticket', { baseUrl: origin }))
    const error = await call.catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'NETWORK_ERROR', isUncertain: true })
    expect(seen).toHaveLength(3)
  })

  it('reports a POST whose connection broke as a network error', async () => {
    script = [{ cut: true }]
    await expect(send('POST', '/api/companies')).rejects.toMatchObject({
      code: 'NETWORK_ERROR',
      sentence: 'Erro de conexão. Verifique sua internet',
    })
    expect(seen).toHaveLength(1)
  })

  it('takes a repeated DELETE that finds nothing as done, a first one as refused', async () => {
    skipWaits()
    const missing = { status: 404, body: refusal('NOT_FOUND') }
    const end = () => unwrap(api.DELETE('/api/auth/sessions/{id}', { baseUrl: origin, params: { path: { id: 's1' } } }))
    script = [{ cut: true }, missing]
    expect(await end()).toBeUndefined()
    script = [missing]
    await expect(end()).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(seen).toHaveLength(3)
  })

  it('does not repeat for a caller that left', async () => {
    const leaving = new AbortController()
    script = [{ cut: true }]
    const call = send('GET', '/api/companies', { signal: leaving.signal })
    leaving.abort()
    await expect(call).rejects.toThrow()
    expect(seen.length).toBeLessThanOrEqual(1)
  })
})

describe('session', () => {
  function bearerOf(tokens: string[], renewals: string[]) {
    let current = tokens.shift() ?? null
    setTokenSource({
      token: () => current,
      renew: async (refused) => {
        renewals.push(refused)
        current = tokens.shift() ?? null
        return current !== null
      },
    })
  }

  it('repeats a refused call once with the renewed token', async () => {
    const renewals: string[] = []
    bearerOf(['old', 'new'], renewals)
    script = [{ status: 401 }, {}]
    expect((await send('POST', '/api/companies', { body: '{}' })).status).toBe(200)
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer old', 'Bearer new'])
    expect(renewals).toEqual(['old'])
  })

  it('hands out the second 401', async () => {
    const renewals: string[] = []
    bearerOf(['old', 'new', 'newer'], renewals)
    script = [{ status: 401 }, { status: 401 }]
    expect((await send('GET', '/api/companies')).status).toBe(401)
    expect(renewals).toHaveLength(1)
  })

  it('neither sends the token to nor renews it after sign-in, refresh and sign-out calls', async () => {
    const renewals: string[] = []
    bearerOf(['old', 'new'], renewals)
    script = [{ status: 401 }, { status: 401 }, { status: 401 }]
    for (const path of ['login', 'refresh', 'logout']) await send('POST', `/api/auth/${path}`)
    expect(seen.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined, undefined])
    expect(renewals).toEqual([])
  })
})

describe('a command that wants the second factor again', () => {
  const change = () =>
    unwrap(
      api.PUT('/api/companies/{id}/users/role', {
        baseUrl: origin,
        params: { path: { id: 'c1' } },
        body: { userId: 'u1', role: 'finance' },
      }),
    )
  const wanted = { status: 403, body: refusal('STEP_UP_REQUIRED') }

  afterEach(() => setStepUpHandler(async () => false))

  it('is sent once more, with the same body, when it was shown', async () => {
    setStepUpHandler(async () => true)
    script = [wanted, { body: data({ user: { role: 'finance' } }) }]
    expect(await change()).toEqual({ user: { role: 'finance' } })
    expect(seen.map(({ body }) => body)).toEqual([seen[0]?.body, seen[0]?.body])
  })

  it('is refused when the person gives up, and asks no second time', async () => {
    script = [wanted]
    await expect(change()).rejects.toMatchObject({ code: 'STEP_UP_REQUIRED' })
    setStepUpHandler(async () => true)
    script = [wanted, wanted]
    await expect(change()).rejects.toMatchObject({ code: 'STEP_UP_REQUIRED' })
    expect(seen).toHaveLength(3)
  })
})

it('answers of the second step are about the proof, those of the own factors about the session', async () => {
  const renewed: string[] = []
  setTokenSource({ token: () => 'old', renew: async (refused) => renewed.push(refused) < 0 })
  script = [
    { status: 401, body: refusal('INVALID_CHALLENGE') },
    { status: 401, body: refusal('UNAUTHORIZED') },
  ]
  await send('POST', '/api/auth/second-factor')
  expect(seen[0]?.headers.authorization).toBeUndefined()
  await send('GET', '/api/auth/second-factor')
  expect(renewed).toEqual(['old'])
})

it('takes an answer that the page asked for early, and asks by itself when that failed or was refused', async () => {
  skipWaits()
  setTokenSource({ token: () => 'known', renew: async () => true })
  const early = async (answer: Promise<Response>) => {
    answer.catch(() => undefined)
    globalThis.bipeEarlyAnswers = { token: 'known', sentAt: performance.now(), byPath: { '/early': answer } }
    return (await send('GET', '/early')).json()
  }
  script = [{ body: data('asked') }, { body: data('asked again') }]
  expect(await early(Promise.resolve(new Response(data('early'))))).toEqual(JSON.parse(data('early')))
  expect(seen).toEqual([])
  expect(await early(Promise.reject(new TypeError('no network')))).toEqual(JSON.parse(data('asked')))
  expect(await early(Promise.resolve(new Response('', { status: 401 })))).toEqual(JSON.parse(data('asked again')))
  globalThis.bipeEarlyAnswers = undefined
})
