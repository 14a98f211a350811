// The page as the live connection sees it; `live-connection.tsx` fills it in.
import type { Effect } from './apply-event'
import type { LiveStatus } from './status'

/** What the connection needs of the page. */
export interface Ports {
  ticket: () => Promise<string>
  /** Keeps one socket mounted for each of the ids. */
  mount: (socketIds: readonly number[]) => void
  /** Applies the effects of one batch of frames, in order. */
  apply: (effects: Effect[]) => void
  /** State for the badge and the polling fallback. */
  report: (report: Pick<LiveStatus, 'connection'>) => void
  /** A server took the hello; this is its time. */
  welcomed: (serverTime: string) => void
  /** Access was revoked: user and companies are to be read again. */
  recheckAccess: () => void
  online: () => boolean
  hidden: () => boolean
  chance: () => number
}
