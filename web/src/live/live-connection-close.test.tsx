// @vitest-environment happy-dom
import { act } from '@testing-library/react'
import { describe, expect, test } from 'vitest'
import { paymentKeys } from '../api/payments'
import { FakeSocket } from '../../test/fake-socket'
import { goLive, mount, newest, playServer, tab } from '../../test/live-page'
import { pass } from '../../test/pass'
import { CHANNEL, COMPANY, event, live, payment, welcome } from '../../test/server-frames'
import { liveControls } from './controls'
import { liveStatus } from './status'

playServer()

describe('after a close', () => {
  test('comes back by resume with its positions', async () => {
    await goLive()
    await newest().die(1006)
    await pass(250)
    expect(FakeSocket.all).toHaveLength(2)
    await newest().accept()
    expect(newest().of('hello')).toMatchObject([
      { resume: 'resume-1', subscriptions: [{}, {}, { channel: CHANNEL, since: { epoch: 'e1', seq: 10 } }] },
    ])
    expect(tab.tickets).toBe(1)
  })

  test('a code of the 40xx family ends it', async () => {
    await goLive()
    await newest().die(4006)
    await pass(60_000)
    expect(FakeSocket.all).toHaveLength(1)
    expect(liveStatus.get().connection).toBe('stopped')
    act(() => liveControls.get()?.reconnect())
    await pass(0)
    expect(FakeSocket.all).toHaveLength(2)
  })

  test('42xx waits a share of the spread', async () => {
    await goLive()
    await newest().die(4201)
    await pass(2_400)
    expect(FakeSocket.all).toHaveLength(1)
    await pass(200)
    expect(FakeSocket.all).toHaveLength(2)
  })

  test.each([4301, 4302])('%i takes a new ticket', async (code) => {
    await goLive()
    await newest().die(code)
    await pass(1_000)
    await newest().accept()
    expect(newest().of('hello')).toMatchObject([{ ticket: 'ticket-2' }])
  })

  test('a report of an older socket changes nothing', async () => {
    await goLive()
    const old = newest()
    act(() => liveControls.get()?.reconnect())
    await pass(0)
    await old.die(4006)
    await old.push(event(11, payment(5)))
    expect(tab.queries.getQueryData(paymentKeys.one(COMPANY, 'p1'))).toBeUndefined()
    await newest().accept()
    await newest().push(welcome(), live('user', 0), live('plans', 0), live(CHANNEL, 10))
    expect(liveStatus.get().connection).toBe('live')
  })

  test('silence of two heartbeats is a dead connection', async () => {
    await goLive()
    await pass(50_100)
    await pass(1_000)
    expect(FakeSocket.all).toHaveLength(2)
  })

  test('the waits grow until a welcome has held ten seconds', async () => {
    await mount()
    for (const wait of [250, 500, 1000]) {
      const before = FakeSocket.all.length
      await newest().die(1006)
      await pass(wait - 10)
      expect(FakeSocket.all).toHaveLength(before)
      await pass(20)
      expect(FakeSocket.all).toHaveLength(before + 1)
    }
    await newest().accept()
    await newest().push(welcome())
    await pass(10_100)
    await newest().die(1006)
    await pass(260)
    expect(FakeSocket.all).toHaveLength(5)
  })
})
