// The network breaks for everybody at once while work goes on, and everybody comes back at once by the resume token:
// each reader must get every change that it missed, each once, and one that happens while it comes back.

import { check } from 'k6'
import { LiveSocket, company, lost, pause, rename } from '../lib/live.js'
import { mine, people } from '../lib/people.js'
import { SECONDS, crowd } from '../lib/profiles.js'
import { summaryOf } from '../lib/summary.js'
import { common, liveThresholds } from '../lib/thresholds.js'

const USERS = 20
const SOCKETS_PER_USER = 10
const CHANGES_AWAY = 3
const REST_MS = 1_000

export const options = {
  ...common,
  scenarios: { waves: crowd(USERS, 'stormOn') },
  thresholds: liveThresholds({ live_catch_up_ms: 3_000 }, ['live_events_total', 'live_resumes_total']),
}

export const setup = () => ({ everybody: people(USERS) })

export async function stormOn({ everybody }) {
  const over = Date.now() + SECONDS * 1_000
  const person = mine(everybody)
  const readers = Array.from({ length: SOCKETS_PER_USER }, () => reader(person))
  await Promise.all(readers.map(({ socket }) => socket.open()))
  do {
    await breakAndReturn(person, readers)
    await pause(REST_MS)
  } while (Date.now() < over)
  readers.forEach(({ socket }) => socket.close())
}

/** A socket, the names that its company had as it saw them, and how often it had to start from a snapshot. */
export function reader(person) {
  const seen = { names: [], snapshots: 0 }
  const socket = new LiveSocket(
    person,
    [company(person), 'user'],
    ({ name, data }) => name === 'company.updated' && seen.names.push(data.companyName),
  )
  socket.onSnapshot = ({ channel, data }) => {
    if (channel !== company(person)) return
    seen.names.push(data.company.companyName)
    seen.snapshots += 1
  }
  return { socket, seen }
}

/** One break: changes while away, one while coming back. */
export async function breakAndReturn(person, readers) {
  readers.forEach(({ socket }) => socket.close())
  const snapshots = readers.map(({ seen }) => seen.snapshots)
  const missed = []
  for (let n = 0; n < CHANGES_AWAY; n += 1) missed.push(await rename(person))
  const [meanwhile] = await Promise.all([rename(person), ...readers.map(({ socket }) => socket.open())])
  const expected = [...missed, meanwhile].filter(Boolean).map((requestId) => `Carga ${requestId}`)
  const last = expected.slice(-1)
  await Promise.all(readers.map(({ socket, seen }) => socket.until(() => seen.names.includes(last[0]))))
  let missing = 0
  readers.forEach(({ seen }, index) => {
    // A snapshot stands for every change before it.
    const due = seen.snapshots === snapshots[index] ? expected : last
    missing += due.filter((name) => !seen.names.includes(name)).length
    seen.names = []
  })
  lost(missing)
  check(missing, { 'nothing is lost over a reconnect': (count) => count === 0 })
}

export const handleSummary = summaryOf('reconnect-storm')
