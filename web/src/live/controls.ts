// What a person may do with the tab's live connection, for the badge, the pause button and the shortcuts. The
// connection (`socket.tsx`, loaded beside the page) sets it while it is mounted.

export interface LiveControls {
  reconnect: () => void
  pause: () => void
  resume: () => void
}

let current: LiveControls | null = null

export function setLiveControls(next: LiveControls | null): void {
  current = next
}

/** Null while no connection is mounted. */
export function liveControls(): LiveControls | null {
  return current
}
