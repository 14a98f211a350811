// How often the page of payments is read again: what the provider gives back is no activity. A pause stops that too.
import { useIsPaused } from '../../../live/status'

const EVERY_MS = 30_000

export function usePaymentsInterval(): number | false {
  return useIsPaused() ? false : EVERY_MS
}
