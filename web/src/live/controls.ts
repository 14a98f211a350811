// What a person may do with the tab's live connection, for the badge, the pause button and the shortcuts. The
// connection (`live-connection.tsx`, loaded beside the page) sets it while it is mounted.
import { Observable } from '../lib/observable'

interface LiveControls {
  reconnect: () => void
  pause: () => void
  resume: () => void
}

/** Null while no connection is mounted: then nobody can do anything with it. */
export const liveControls = new Observable<LiveControls | null>(null)
