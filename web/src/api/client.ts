// Every call to the server. `transport` is a fetch that adds the request id and the bearer token, gives up a try after
// 15 s (a file that comes, later), repeats a call by `retries.ts` and renews the token once after a 401. `unwrap` takes
// the envelope off. The session hands in its token by `setTokenSource`, because this layer does not know who is signed
// in.
import createClient from 'openapi-fetch'
import { newTraceparent, randomId } from '../lib/ids'
import { takeEarlyAnswer } from './early-answers'
import { ApiError } from './errors'
import { retryDelay, withRetries, type AttemptResult } from './retries'
import type { components, paths } from './schema'

export type Schemas = components['schemas']

const API_TIMEOUT_MS = 15_000
/** From its first byte on: a slow line takes long for a large file. */
const FILE_TIMEOUT_MS = 5 * 60_000
const RETRIED_METHODS = new Set(['GET', 'PUT', 'DELETE'])

export interface TokenSource {
  token(): string | null
  /** Called after a 401 with the token that was refused. True: try once more with `token()`. */
  renew(refused: string): Promise<boolean>
}

let tokenSource: TokenSource = { token: () => null, renew: async () => false }

export function setTokenSource(next: TokenSource): void {
  tokenSource = next
}

let askToStepUp: () => Promise<boolean> = async () => false

/** Called when a command was refused for want of a fresh second factor. True: it was shown, try once more. */
export function setStepUpHandler(next: () => Promise<boolean>): void {
  askToStepUp = next
}

/** Commands whose 401 is an answer about the body, not about the session. */
const PUBLIC_CALLS =
  /^\/api\/auth\/(login|refresh|logout|register|verify-email|forgot-password|resend-verification|reset-password|second-factor|passkey|passkey\/options)$/

/** A fetch that throws ApiError when no answer came; any answer, also a refusal, is returned. */
export function transport(request: Request): Promise<Response> {
  return exchange(request, fetchWithRetries)
}

type Send = (request: Request) => Promise<Response>

async function exchange(request: Request, send: Send): Promise<Response> {
  const prepared = new Request(request, { headers: withTraceHeaders(request) })
  latest = prepared.headers.get('x-request-id') ?? undefined
  if (prepared.method !== 'GET') rememberOwn(latest)
  const isPublic = prepared.method === 'POST' && PUBLIC_CALLS.test(new URL(prepared.url).pathname)
  const token = isPublic ? null : tokenSource.token()
  const response = await send(authorised(prepared, token))
  if (response.status !== 401 || token === null || !(await tokenSource.renew(token))) return response
  const renewed = tokenSource.token()
  return renewed === null ? response : send(authorised(prepared, renewed))
}

let latest: string | undefined

/** The id of the last call: where to look in the server's log for what a person was doing. */
export function latestRequestId(): string | undefined {
  return latest
}

const OWN_KEPT = 50
let ownRequests: string[] = []

function rememberOwn(id: string | undefined): void {
  if (id !== undefined) ownRequests = [...ownRequests, id].slice(-OWN_KEPT)
}

/** Whether this tab sent the command that a live event names as its cause: then its answer is on the screen already. */
export function isOwnRequest(id: string | null | undefined): boolean {
  return id != null && ownRequests.includes(id)
}

/** With the id of the request and, for a command, a trace that its repetitions share. */
function withTraceHeaders({ headers, method }: Request): Headers {
  const result = new Headers(headers)
  if (!result.has('x-request-id')) result.set('x-request-id', randomId())
  if (method !== 'GET' && !result.has('traceparent')) result.set('traceparent', newTraceparent())
  return result
}

/** A body can be sent only once. A request without one needs no copy, which would cost a slow phone milliseconds. */
function copyOf(request: Request): Request {
  return request.body === null ? request : request.clone()
}

function authorised(request: Request, token: string | null): Request {
  const copy = copyOf(request)
  if (token !== null) copy.headers.set('authorization', `Bearer ${token}`)
  return copy
}

/**
 * Sends a call, and again after the ordinary waits where a repeat is harmless. A DELETE whose repeat finds nothing was
 * done by a try before it.
 */
async function fetchWithRetries(request: Request): Promise<Response> {
  const repeatable = RETRIED_METHODS.has(request.method) || request.headers.has('idempotency-key')
  if (!repeatable) return fetchOnce(copyOf(request))
  let sent = 0
  const send = () => {
    sent += 1
    return fetchOnce(copyOf(request))
  }
  const response = await withRetries(send, (outcome) => retryDelay(attemptResultOf(outcome), sent), request.signal)
  const isGone = request.method === 'DELETE' && sent > 1 && response.status === 404
  return isGone ? new Response(null, { status: 204 }) : response
}

function attemptResultOf(outcome: Response | ApiError): AttemptResult {
  return outcome instanceof ApiError ? outcome : { status: outcome.status, retryAfter: retryAfterOf(outcome) }
}

/**
 * One try of a request as it is; also for calls that are not ours to authorise (the sandbox's, with its own key). An
 * answer that breaks off is no answer.
 */
export async function fetchOnce(request: Request): Promise<Response> {
  const end = new AbortController()
  const giveUpAfter = (wait: number) => setTimeout(() => end.abort(), wait)
  let limit = giveUpAfter(API_TIMEOUT_MS)
  const leave = () => end.abort(request.signal.reason)
  if (request.signal.aborted) leave()
  request.signal.addEventListener('abort', leave)
  try {
    const answer = await (takeEarlyAnswer(request) ?? fetch(request, { signal: end.signal }))
    if (isFile(answer)) {
      clearTimeout(limit)
      limit = giveUpAfter(FILE_TIMEOUT_MS)
    }
    return await withBody(answer)
  } catch (error) {
    if (request.signal.aborted) throw error
    const requestId = request.headers.get('x-request-id') ?? undefined
    const sentence = end.signal.aborted ? 'Timeout na requisição' : undefined
    throw new ApiError('NETWORK_ERROR', { requestId, sentence })
  } finally {
    clearTimeout(limit)
    request.signal.removeEventListener('abort', leave)
  }
}

function isFile(answer: Response): boolean {
  return answer.headers.has('content-disposition')
}

/** Its body has come to the end. */
async function withBody(answer: Response): Promise<Response> {
  const isEmpty = answer.status === 204 || answer.body === null
  return isEmpty ? answer : new Response(await answer.arrayBuffer(), answer)
}

function retryAfterOf(response: Response): number | undefined {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined
}

const calls = createClient<paths>({ baseUrl: globalThis.location?.origin, fetch: answered(transport) })

/** The calls of the generated contract: `await unwrap(api.GET('/api/companies'))`. A refusal throws its ApiError. */
export const api: typeof calls = { ...calls, GET: inOwnTask(calls.GET) }

/** The `fetch` of a call that has a schedule of its own: nothing is repeated below it. */
export const sendWithoutRetries: Send = answered((request) => exchange(request, fetchOnce))

interface Scheduling {
  scheduler?: { yield?: () => Promise<void> }
}

/** A page asks for much at once: between its calls a browser that can goes on with what the person does. */
function inOwnTask(get: typeof calls.GET): typeof calls.GET {
  const later = async (...call: never[]) => {
    await (globalThis as Scheduling).scheduler?.yield?.()
    return (get as (...call: never[]) => unknown)(...call)
  }
  return later as typeof get
}

/** A refusal throws its ApiError. One for want of a fresh second factor is sent once more after it was shown. */
function answered(send: Send): Send {
  return async (request) => {
    const again = copyOf(request)
    const response = await send(request)
    if (response.ok) return response
    const refusal = await refusalOf(response)
    if (refusal.code !== 'STEP_UP_REQUIRED' || !(await askToStepUp())) throw refusal
    const second = await send(again)
    if (second.ok) return second
    throw await refusalOf(second)
  }
}

/** What is read of an openapi-fetch result. */
interface FetchResult<T> {
  data?: { success: boolean; data: T } | undefined
  response: Response
}

/** Takes the envelope off a success. A 204 has no data. */
export async function unwrap<T>(sent: Promise<FetchResult<T>>): Promise<T> {
  const { data: envelope, response } = await sent.catch(unreadable)
  if (response.status === 204) return undefined as T
  if (envelope?.success === true && envelope.data !== undefined) return envelope.data
  throw new ApiError('PARSE_ERROR', {
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? undefined,
  })
}

/**
 * The file of an answer, whatever type the schema declares. Each file names itself: what does not is another's page, as
 * of a network that wants a sign-in first.
 */
export async function unwrapFile(sent: Promise<{ data?: unknown; response: Response }>): Promise<Blob> {
  const { data, response } = await sent
  if (!(data instanceof Blob) || !isFile(response)) throw new ApiError('PARSE_ERROR')
  return data
}

/** A body that is no JSON surfaces as a SyntaxError; everything else is already what it should be. */
function unreadable(error: unknown): never {
  throw error instanceof SyntaxError ? new ApiError('PARSE_ERROR') : error
}

async function refusalOf(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => undefined)
  const error = isRefusal(body) ? body.error : undefined
  return new ApiError(error?.code ?? 'HTTP_ERROR', {
    status: response.status,
    fields: error?.fields ?? undefined,
    requestId: error?.requestId ?? response.headers.get('x-request-id') ?? undefined,
    retryAfter: retryAfterOf(response),
  })
}

interface Refusal {
  error: { code: string; fields?: Record<string, string | number> | null; requestId?: string }
}

function isRefusal(body: unknown): body is Refusal {
  const error = (body as Partial<Refusal> | null | undefined)?.error
  return typeof error === 'object' && error !== null && typeof error.code === 'string'
}
