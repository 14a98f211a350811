// One live socket as the contract wants it (rt.v1; docs/contract.md, "Live protocol"): hello with a ticket or the
// resume token, order, gaps, repeats, acknowledgements, pongs. Called by every live scenario. It judges what it sees
// by the protocol's promise: an event continues the last one, and after a resume nothing is missing.

import { WebSocket } from 'k6/experimental/websockets'
import { setTimeout, clearTimeout } from 'k6/timers'
import { Counter, Trend } from 'k6/metrics'
import { BASE, callBeside } from './api.js'
import { bearer } from './people.js'

/** From the instant at which a writer sent its command to the frame at a reader; both clocks are this machine's. */
const latency = new Trend('live_event_latency_ms', true)
const events = new Counter('live_events_total')
/** An event that does not continue the last one; a head that moved on in silence. */
const gaps = new Counter('live_gaps_total')
/** An event that had come before. */
const duplicates = new Counter('live_duplicates_total')
/** Events that a resumed socket neither got nor was given a snapshot for. */
const resumeLoss = new Counter('resume_loss_total')
const resumes = new Counter('live_resumes_total')
const resets = new Counter('live_resets_total')
/** A ticket that was refused: more of them were open than a person may have. */
const refusals = new Counter('live_refusals_total')
/** A resume token that was refused, which no healthy server does within its five minutes. */
const resumeRefusals = new Counter('resume_refused_total')
/** No ticket to carry a socket on with. */
const refreshFailures = new Counter('live_refresh_failures_total')
/** Closed by the server, or never opened. */
const closedByServer = new Counter('live_closed_total')
const opened = new Counter('live_opened_total')
/** From opening to `live` on every channel. */
const catchUp = new Trend('live_catch_up_ms', true)

const ACK_FRAMES = 32
const ACK_MS = 1_000
const TIMEOUT_MS = 60_000
const MARK = 'load-'
/** A person has at most five open tickets, and a few virtual users may share it. */
const HELLOS = 2
const TRIES = 10
const RETRY_MS = 500
/** A ticket carries a socket 15 minutes. */
const REFRESH_MS = 10 * 60_000

/** The request id of a command whose event is timed. */
export const mark = () => `${MARK}${Date.now()}-${Math.random().toString(36).slice(2, 10)}`

const once = (act) => {
  let isDone = false
  return (...given) => {
    if (isDone) return undefined
    isDone = true
    return act(...given)
  }
}

/** A door for so many tickets of this virtual user at a time. */
const hellos = {
  free: HELLOS,
  waiting: [],
  enter() {
    if (this.free > 0) {
      this.free -= 1
      return Promise.resolve()
    }
    return new Promise((resolve) => this.waiting.push(resolve))
  },
  leave() {
    const next = this.waiting.shift()
    if (next) next()
    else this.free += 1
  },
}

export class LiveSocket {
  /** `onEvent(envelope)` sees each event once, in order. */
  constructor(person, channels, onEvent = () => {}) {
    Object.assign(this, { person, channels, onEvent })
    this.positions = {}
    this.resume = null
    this.asleep = false
    this.dozes = false
    this.waiters = []
  }

  /** Opens with a new ticket, or with what the last connection left. Resolves when every channel is live. */
  async open() {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.connect()
      } catch (error) {
        if (!/close 43/.test(error.message) || tries === TRIES) {
          closedByServer.add(1)
          throw error
        }
        ;(this.resume === null ? refusals : resumeRefusals).add(1)
        this.resume = null
        await pause(Math.random() * RETRY_MS * tries)
      }
    }
  }

  async connect() {
    this.greeted = () => {}
    if (this.resume !== null) return this.greet({ resume: this.resume }, true)
    await hellos.enter()
    this.greeted = once(() => hellos.leave())
    try {
      return await this.greet({ ticket: await this.ticket() }, false)
    } finally {
      this.greeted()
    }
  }

  greet(proof, isResume) {
    return new Promise((resolve, reject) => {
      const begun = Date.now()
      const socket = new WebSocket(`${BASE.replace(/^http/, 'ws')}/api/live`, 'rt.v1')
      Object.assign(this, { socket, isResume, received: 0, acknowledged: 0, isOpen: true, isLive: false })
      this.catching = new Set(this.channels)
      const late = setTimeout(() => this.end('not live in time'), TIMEOUT_MS)
      this.settle = once((error) => {
        clearTimeout(late)
        if (error) return reject(new Error(error))
        this.isLive = true
        opened.add(1)
        catchUp.add(Date.now() - begun)
        if (isResume) resumes.add(1)
        resolve(this)
      })
      socket.onopen = () => this.send({ type: 'hello', id: 1, ...proof, subscriptions: this.wanted() })
      socket.onmessage = ({ data }) => this.isCurrent(socket) && this.message(data)
      socket.onerror = ({ error }) => this.isCurrent(socket) && this.end(error)
      socket.onclose = () => this.isCurrent(socket) && this.end('closed')
    })
  }

  async ticket() {
    const { data, status } = await callBeside('POST', '/api/auth/live-ticket', { token: bearer(this.person) })
    if (!data) throw new Error(`no ticket: ${status}`)
    return data.ticket
  }

  wanted() {
    return this.channels.map((channel) => ({
      channel,
      ...(this.positions[channel] ? { since: this.positions[channel] } : {}),
    }))
  }

  isCurrent(socket) {
    return this.isOpen && this.socket === socket
  }

  /** Ours: what comes after it does not count. */
  close() {
    this.isOpen = false
    clearTimeout(this.ackTimer)
    clearTimeout(this.refreshTimer)
    this.ackTimer = null
    this.settle('closed here')
    this.greeted()
    if (this.socket.readyState < 2) this.socket.close()
  }

  end(error) {
    // What ends before it was live is for `open` to judge.
    if (this.isLive) {
      closedByServer.add(1)
      console.warn(`a live socket of ${this.person.email} ended: ${error}`)
    }
    this.settle(String(error))
    this.close()
    this.notify()
  }

  /** Not all sockets at the same moment. */
  refreshLater() {
    this.refreshTimer = setTimeout(() => this.refresh(), REFRESH_MS * (0.8 + 0.4 * Math.random()))
  }

  /** Carries the socket on with a new ticket, through the same door as a hello. */
  async refresh() {
    const { socket } = this
    await hellos.enter()
    const leave = once(() => hellos.leave())
    // Meanwhile another connection may have come, whose hello has a door of its own.
    if (!this.isCurrent(socket)) return leave()
    this.greeted = leave
    try {
      const ticket = await this.ticket()
      if (this.isCurrent(socket)) this.send({ type: 'refresh', id: 3, ticket })
    } catch (error) {
      leave()
      refreshFailures.add(1)
      console.warn(`a live socket of ${this.person.email} is not carried on: ${error.message}`)
    }
  }

  send(frame) {
    if (this.socket.readyState === 1) this.socket.send(JSON.stringify(frame))
  }

  message(text) {
    const frames = JSON.parse(text)
    for (const frame of Array.isArray(frames) ? frames : [frames]) this.take(frame)
    if (!this.asleep) this.acknowledgeSoon()
    this.notify()
  }

  take(frame) {
    switch (frame.type) {
      case 'welcome':
        this.resume = frame.resume
        this.refreshLater()
        return this.greeted()
      case 'refreshed':
        this.resume = frame.resume
        this.refreshLater()
        return this.greeted()
      case 'ping':
        if (frame.resume) this.resume = frame.resume
        return this.send({ type: 'pong', n: frame.n })
      case 'heads':
        return this.takeHeads(frame.heads)
      case 'error':
      case 'unsubscribed':
        return this.settle(`${frame.channel}: ${frame.code}`)
      case 'snapshot':
        this.positions[frame.channel] = { epoch: frame.epoch, seq: frame.seq }
        this.onSnapshot?.(frame)
        break
      case 'event':
        this.takeEvent(frame)
        break
      case 'reset':
        resets.add(1, { reason: frame.reason })
        delete this.positions[frame.channel]
        if (frame.reason === 'lagged') this.sync(frame.channel)
        break
      case 'live':
        this.takeLive(frame)
        break
      default:
        return
    }
    this.received += 1
  }

  takeEvent(event) {
    const { channel, seq } = event
    const at = this.positions[channel]
    if (at && seq <= at.seq) return duplicates.add(1)
    const continues = event.prev === undefined || event.prev === null ? seq - 1 : event.prev
    if (!at || continues !== at.seq) {
      // While a catch-up runs, its `live` tells what is missing in the end.
      if (this.catching.has(channel)) return
      gaps.add(1)
      return this.sync(channel)
    }
    at.seq = seq
    events.add(1)
    const sent = event.cause && event.cause.startsWith(MARK) ? Number(event.cause.split('-')[1]) : 0
    // What was missed while away is late by its nature, and so is what a dozer gets.
    if (sent > 0 && !this.dozes && !this.catching.has(channel)) latency.add(Date.now() - sent)
    this.onEvent(event)
  }

  takeLive({ channel, seq }) {
    const at = this.positions[channel]
    const missing = seq - (at ? at.seq : 0)
    if (missing > 0) {
      ;(this.isResume && this.catching.has(channel) ? resumeLoss : gaps).add(missing)
      this.sync(channel)
    }
    this.catching.delete(channel)
    if (this.catching.size === 0) this.settle()
  }

  takeHeads(heads) {
    for (const [channel, , seq] of heads) {
      const at = this.positions[channel]
      if (!at || at.seq >= seq || this.catching.has(channel) || this.asleep) continue
      gaps.add(1)
      this.sync(channel)
    }
  }

  sync(channel) {
    this.catching.add(channel)
    const since = this.positions[channel]
    this.send({ type: 'sync', id: 2, channel, ...(since ? { since } : {}) })
  }

  acknowledgeSoon() {
    if (this.received - this.acknowledged >= ACK_FRAMES) return this.acknowledge()
    if (this.received === this.acknowledged || this.ackTimer) return
    this.ackTimer = setTimeout(() => this.acknowledge(), ACK_MS)
  }

  acknowledge() {
    clearTimeout(this.ackTimer)
    this.ackTimer = null
    if (!this.isOpen || this.asleep || this.received === this.acknowledged) return
    this.acknowledged = this.received
    this.send({ type: 'ack', frames: this.received })
  }

  /** Stops acknowledging: to the server, a reader that does not keep up. */
  sleep() {
    this.asleep = true
    this.dozes = true
  }

  wake() {
    this.asleep = false
    this.acknowledge()
  }

  /** Resolves true as soon as `holds()`, looked at after each message; false when it does not in time. */
  until(holds, timeoutMs = TIMEOUT_MS) {
    if (holds()) return Promise.resolve(true)
    return new Promise((resolve) => {
      const waiter = { holds, resolve }
      waiter.late = setTimeout(() => this.drop(waiter, false), timeoutMs)
      this.waiters.push(waiter)
    })
  }

  notify() {
    for (const waiter of [...this.waiters]) {
      if (waiter.holds()) this.drop(waiter, true)
      else if (!this.isOpen) this.drop(waiter, false)
    }
  }

  drop(waiter, outcome) {
    clearTimeout(waiter.late)
    this.waiters = this.waiters.filter((one) => one !== waiter)
    waiter.resolve(outcome)
  }
}

export const company = (person) => `company/${person.companyId}`

/** Resolves after so many milliseconds. */
export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** A commit that causes one event in the person's company; returns the request id that the event carries as `cause`. */
export async function rename(person) {
  const requestId = mark()
  const body = { companyName: `Carga ${requestId}` }
  const path = `/api/companies/${person.companyId}`
  const { ok } = await callBeside('PUT', path, { name: '/api/companies/{id}', token: bearer(person), requestId, body })
  return ok ? requestId : null
}

/** For a scenario that lost events in another way than the protocol shows. */
export const lost = (count) => count > 0 && resumeLoss.add(count)
