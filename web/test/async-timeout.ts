// A busy machine is no defect: what a test waits for on its page may take many times the second that the library grants.
export const ASYNC_TIMEOUT_MS = 20_000

if ('document' in globalThis) {
  const { configure } = await import('@testing-library/react')
  configure({ asyncUtilTimeout: ASYNC_TIMEOUT_MS })
}
