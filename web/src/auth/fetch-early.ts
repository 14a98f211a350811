// What every signed-in page reads first, fetched by a small script of the page while the app's code is still coming.
// `route-preload.ts` puts the text of `fetchEarly` into that script, so it may use nothing from outside of it.

/** A token that has expired is not shown: the session renews it first. */
export function fetchEarly(): void {
  try {
    const token = localStorage.getItem('bipe.accessToken')
    const payload = token?.split('.')[1]?.replace(/-/g, '+').replace(/_/g, '/')
    if (token === null || payload === undefined) return
    const { exp } = JSON.parse(atob(payload)) as { exp: number }
    if (!(exp * 1000 > Date.now())) return
    const company = sessionStorage.getItem('bipe.companyId') ?? localStorage.getItem('bipe.companyId')
    const paths = ['/api/auth/me', '/api/companies']
    if (company !== null && !location.pathname.startsWith('/admin'))
      paths.push(`/api/subscriptions/company/${encodeURIComponent(company)}`)
    const send = (path: string): [string, Promise<Response>] => {
      const headers = { authorization: `Bearer ${token}` }
      const answer = fetch(path, { headers, signal: AbortSignal.timeout(15_000) })
      // Nobody may take it.
      answer.catch(() => undefined)
      return [path, answer]
    }
    globalThis.bipeEarlyAnswers = { token, sentAt: performance.now(), byPath: Object.fromEntries(paths.map(send)) }
  } catch {
    // Storage is blocked, or holds something else.
  }
}
