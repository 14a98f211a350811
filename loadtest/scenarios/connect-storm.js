// Everybody opens the app at once, wave after wave: ticket, hello, three snapshots, live.

import { LiveSocket, company, pause } from '../lib/live.js'
import { mine, people } from '../lib/people.js'
import { SECONDS, crowd } from '../lib/profiles.js'
import { summaryOf } from '../lib/summary.js'
import { common, liveThresholds } from '../lib/thresholds.js'

const USERS = 20
const SOCKETS_PER_USER = 10
const REST_MS = 1_000

export const options = {
  ...common,
  scenarios: { waves: crowd(USERS, 'arrive') },
  thresholds: liveThresholds({ live_catch_up_ms: 2_000 }, []),
}

export const setup = () => ({ everybody: people(USERS) })

export async function arrive({ everybody }) {
  const person = mine(everybody)
  const over = Date.now() + SECONDS * 1_000
  do {
    const sockets = Array.from(
      { length: SOCKETS_PER_USER },
      () => new LiveSocket(person, [company(person), 'user', 'plans']),
    )
    await Promise.all(sockets.map((socket) => socket.open()))
    sockets.forEach((socket) => socket.close())
    await pause(REST_MS)
  } while (Date.now() < over)
}

export const handleSummary = summaryOf('connect-storm')
