// A few companies change all the time and many screens watch them: every reader must see every change, in order, soon.

import { check } from 'k6'
import exec from 'k6/execution'
import { get } from '../lib/api.js'
import { LiveSocket, company, pause, rename } from '../lib/live.js'
import { bearer, mine, nth, people } from '../lib/people.js'
import { SECONDS, arrivals, crowd, refuseLongRuns } from '../lib/profiles.js'
import { summaryOf } from '../lib/summary.js'
import { common, liveThresholds } from '../lib/thresholds.js'

const COMPANIES = 8
const READERS = 40
const SOCKETS_PER_USER = 10
export const LAST_CHANGE_ARRIVED = 'every reader holds the last change'
/** Readers come before the first change. */
const LEAD_SECONDS = 4

export const options = {
  ...common,
  scenarios: {
    readers: crowd(READERS, 'read'),
    writers: { ...arrivals(20, 'write'), startTime: `${LEAD_SECONDS}s` },
  },
  thresholds: liveThresholds({ live_event_latency_ms: 250, http_req_duration: 500 }, undefined, [LAST_CHANGE_ARRIVED]),
}

export function setup() {
  refuseLongRuns()
  return { everybody: people(COMPANIES) }
}

export async function read({ everybody }) {
  const person = mine(everybody)
  const sockets = Array.from(
    { length: SOCKETS_PER_USER },
    () => new LiveSocket(person, [company(person), 'user', 'plans']),
  )
  for (const socket of sockets) {
    socket.onSnapshot = ({ channel, data }) =>
      channel === company(person) && (socket.companyName = data.company.companyName)
    socket.onEvent = ({ name, data }) => name === 'company.updated' && (socket.companyName = data.companyName)
  }
  await Promise.all(sockets.map((socket) => socket.open()))
  await pause((LEAD_SECONDS + SECONDS + 2) * 1_000)
  await lastChangeArrived(person, sockets)
  sockets.forEach((socket) => socket.close())
}

/** No event follows a lost last one, so no gap would tell: the readers must hold what the API says. */
async function lastChangeArrived(person, sockets) {
  let now = null
  const isThere = (socket) => socket.until(() => socket.companyName === now, 20_000)
  for (let tries = 0; tries < 2; tries += 1) {
    const { data } = get(`/api/companies/${person.companyId}`, { name: '/api/companies/{id}', token: bearer(person) })
    now = data && data.company.companyName
    if ((await Promise.all(sockets.map(isThere))).every(Boolean)) break
  }
  check(sockets, { [LAST_CHANGE_ARRIVED]: (all) => all.every((socket) => socket.companyName === now) })
}

export async function write({ everybody }) {
  await rename(nth(everybody, exec.scenario.iterationInTest))
}

export const handleSummary = summaryOf('live-fanout')
