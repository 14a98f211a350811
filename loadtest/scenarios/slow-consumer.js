// A few readers doze (they read, but acknowledge nothing) while their company changes all the time. The server may keep
// them waiting, conflate, reset them; it may never make the others wait, never flood a dozer, never leave it behind
// once it wakes. (k6 always reads its sockets: readers that stop reading are the Rust generator's, `loadtest/swarm`.)

import { check } from 'k6'
import { get } from '../lib/api.js'
import { LiveSocket, company, pause, rename } from '../lib/live.js'
import { bearer, people } from '../lib/people.js'
import { SECONDS, arrivals, crowd, isSmoke, refuseLongRuns } from '../lib/profiles.js'
import { summaryOf } from '../lib/summary.js'
import { common, liveThresholds } from '../lib/thresholds.js'

const WITHIN_WINDOW = 'no more than a window is under way'
const KEPT_UP = 'who kept up holds the last change'
const DOZED = 'who dozed holds the last change'
const READERS = 20
const DOZERS = 4
/** Unacknowledged data frames that the server may have under way (docs/contract.md, "Slow readers"). */
const WINDOW = 128
/** Below the 30 s after which a reader without progress is closed. */
const DOZE_MS = 15_000
const REST_MS = 2_000
const LEAD_SECONDS = 2
/** Even the short profile has to fill the window. */
const CHANGES = isSmoke ? 600 : 40

export const options = {
  ...common,
  scenarios: {
    readers: crowd(READERS, 'read'),
    dozers: crowd(DOZERS, 'readWithoutAck'),
    writers: { ...arrivals(CHANGES, 'write'), startTime: `${LEAD_SECONDS}s` },
  },
  thresholds: liveThresholds({ live_event_latency_ms: 250 }, undefined, [WITHIN_WINDOW, KEPT_UP, DOZED]),
}

export function setup() {
  refuseLongRuns()
  return { everybody: people(1) }
}

const over = () => Date.now() + (LEAD_SECONDS + SECONDS + 2) * 1_000

/** Keeps up: must not notice the others. */
export async function read({ everybody: [person] }) {
  const end = over()
  const socket = await reader(person).open()
  await pause(end - Date.now())
  await holdsTheLast(person, socket, KEPT_UP)
  socket.close()
}

export async function readWithoutAck({ everybody: [person] }) {
  const end = over()
  const socket = await reader(person).open()
  while (Date.now() < end) {
    socket.sleep()
    await pause(Math.min(DOZE_MS, Math.max(0, end - Date.now())))
    const unacknowledged = socket.received - socket.acknowledged
    check(unacknowledged, { [WITHIN_WINDOW]: (count) => count <= WINDOW })
    socket.wake()
    await pause(REST_MS)
  }
  await holdsTheLast(person, socket, DOZED)
  socket.close()
}

function reader(person) {
  const socket = new LiveSocket(
    person,
    [company(person)],
    ({ name, data }) => name === 'company.updated' && (socket.companyName = data.companyName),
  )
  socket.onSnapshot = ({ data }) => (socket.companyName = data.company.companyName)
  return socket
}

async function holdsTheLast(person, socket, what) {
  let holds = false
  for (let tries = 0; tries < 2 && !holds; tries += 1) {
    const { data } = get(`/api/companies/${person.companyId}`, { name: '/api/companies/{id}', token: bearer(person) })
    const now = data && data.company.companyName
    holds = await socket.until(() => socket.companyName === now, 20_000)
  }
  check(holds, { [what]: Boolean })
}

export async function write({ everybody: [person] }) {
  await rename(person)
}

export const handleSummary = summaryOf('slow-consumer')
