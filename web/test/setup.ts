// How every test ends: its page is unmounted, and then the clock is the machine's again. Before the next one, mocks
// forget their calls, and what was spied on or stubbed is put back (vite.config.ts). What a file does after each of its
// tests comes before: where it resets what a page shows, it unmounts the page first.
import { afterEach, vi } from 'vitest'

// Of these hooks the last one runs first.
afterEach(() => void vi.useRealTimers())

if ('document' in globalThis) {
  const { cleanup, configure } = await import('@testing-library/react')
  // A busy machine is no defect: what a test waits for on its page may take many times the second that the library
  // grants.
  configure({ asyncUtilTimeout: 20_000 })
  afterEach(cleanup)
}
