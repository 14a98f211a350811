// @vitest-environment happy-dom
import { act, cleanup, render } from '@testing-library/react'
import { describe, expect, test, vi } from 'vitest'
import { companyKeys } from '../api/companies'
import { paymentKeys } from '../api/payments'
import { FakeSocket } from '../../test/fake-socket'
import { goLive, greet, mount, newest, page, playServer, tab } from '../../test/live-page'
import { pass } from '../../test/pass'
import { CHANNEL, COMPANY, event, live, payment, snapshot, welcome } from '../../test/server-frames'
import { liveControls } from './controls'
import { forgetPause, liveStatus } from './status'

playServer()

describe('the socket of a tab', () => {
  test('says hello with a ticket and every channel, and is live once all have caught up', async () => {
    await mount()
    expect(newest().url).toMatch(/^ws:\/\/.+\/api\/live$/)
    expect(newest().protocols).toEqual(['rt.v1'])
    await newest().accept()
    expect(newest().of('hello')).toMatchObject([
      { ticket: 'ticket-1', subscriptions: [{ channel: 'user' }, { channel: 'plans' }, { channel: CHANNEL }] },
    ])
    await newest().push(
      welcome(),
      snapshot('user', 0),
      live('user', 0),
      snapshot('plans', 0),
      live('plans', 0),
      snapshot(CHANNEL, 3),
    )
    expect(liveStatus.get().connection).toBe('connecting')
    await newest().push(live(CHANNEL, 3))
    expect(liveStatus.get().connection).toBe('live')
  })

  test('reads a company that was chosen, and leaves one that was left, between the hello and its welcome', async () => {
    const view = render(page())
    await pass(0)
    await newest().accept()
    view.rerender(page(COMPANY))
    await newest().push(welcome())
    expect(newest().of('subscribe')).toMatchObject([{ channel: CHANNEL }])
    await newest().push(...['user', 'plans', CHANNEL].flatMap((channel) => [snapshot(channel, 0), live(channel, 0)]))
    expect(liveStatus.get().connection).toBe('live')

    await newest().die(1006)
    await pass(1_000)
    await newest().accept()
    view.rerender(page())
    await newest().push(welcome())
    expect(newest().of('unsubscribe')).toMatchObject([{ channel: CHANNEL }])
  })

  test('writes a pushed payment into the cache, and an older version never back', async () => {
    await goLive()
    tab.queries.setQueryData(paymentKeys.one(COMPANY, 'p1'), payment(1))
    await newest().push(event(11, payment(3, 'SUCCESS')), event(12, payment(2)))
    expect(tab.queries.getQueryData(paymentKeys.one(COMPANY, 'p1'))).toMatchObject({ version: 3, status: 'SUCCESS' })
  })

  test('answers a ping at once and keeps its resume token', async () => {
    await goLive()
    newest().onmessage?.({ data: '{"type":"ping","n":7,"resume":"resume-2"}' })
    expect(newest().of('pong')).toEqual([{ type: 'pong', n: 7 }])
    await newest().die(1006)
    await pass(1_000)
    await newest().accept()
    expect(newest().of('hello')).toMatchObject([{ resume: 'resume-2' }])
  })

  test('acknowledges after a second, and at once after 32 frames', async () => {
    await goLive()
    await pass(1_000)
    expect(newest().of('ack').at(-1)).toEqual({ type: 'ack', frames: 6 })
    await newest().push(Array.from({ length: 32 }, (_, index) => event(11 + index, payment(index + 1))))
    expect(newest().of('ack').at(-1)).toEqual({ type: 'ack', frames: 38 })
  })

  test('asks for what is missing after a gap', async () => {
    await goLive()
    await newest().push(event(13, payment(9)))
    expect(newest().of('sync')).toMatchObject([{ channel: CHANNEL, since: { epoch: 'e1', seq: 10 } }])
    expect(liveStatus.get().connection).toBe('connecting')
  })

  test('holds patches back while paused and applies the latest on resume', async () => {
    await goLive()
    act(() => liveControls.get()?.pause())
    await newest().push(event(11, payment(1)), event(12, payment(2)))
    expect(tab.queries.getQueryData(paymentKeys.one(COMPANY, 'p1'))).toBeUndefined()
    expect(liveStatus.get()).toMatchObject({ paused: true, waiting: 1 })
    act(() => liveControls.get()?.resume())
    expect(tab.queries.getQueryData(paymentKeys.one(COMPANY, 'p1'))).toMatchObject({ version: 2 })
  })

  test('shows another history of the database also while paused, and nothing that waited of the lost one', async () => {
    await goLive()
    const key = paymentKeys.one(COMPANY, 'p1')
    tab.queries.setQueryData(key, payment(5))
    act(() => liveControls.get()?.pause())
    await newest().push(event(11, payment(6)))
    await newest().push({ type: 'reset', channel: CHANNEL, reason: 'epoch' }, snapshot(CHANNEL, 9, 'e2'))
    expect(tab.queries.getQueryData(key)).toBeUndefined()
    await newest().push(live(CHANNEL, 9), event(10, payment(4)))
    act(() => liveControls.get()?.resume())
    expect(tab.queries.getQueryData(key)).toMatchObject({ version: 4 })
  })

  test('is paused still when another area of the app has mounted it anew, and loses nothing that waited', async () => {
    await goLive()
    act(() => liveControls.get()?.pause())
    await newest().push(event(11, payment(2)))
    cleanup()
    await goLive()
    await newest().push(event(11, { ...payment(1), id: 'p2' }, 'p2'))
    expect(liveStatus.get()).toMatchObject({ paused: true, waiting: 4 })
    expect(tab.queries.getQueryData(paymentKeys.one(COMPANY, 'p2'))).toBeUndefined()
    act(() => liveControls.get()?.resume())
    expect(tab.queries.getQueryData(paymentKeys.one(COMPANY, 'p2'))).toMatchObject({ version: 1 })
  })

  test.each(['another area of the app has mounted it anew', 'its company was left and chosen again'])(
    'knows another history of the database when %s',
    async (why) => {
      const view = render(page(COMPANY))
      await greet()
      const key = paymentKeys.one(COMPANY, 'p1')
      tab.queries.setQueryData(key, payment(5))
      if (why.startsWith('its company')) {
        view.rerender(page())
        view.rerender(page(COMPANY))
      } else {
        view.unmount()
        await mount()
        await newest().accept()
        await newest().push(welcome())
      }
      await newest().push(snapshot(CHANNEL, 9, 'e2'), live(CHANNEL, 9), event(10, payment(4)))
      expect(tab.queries.getQueryData(key)).toMatchObject({ version: 4 })
    },
  )

  test('starts without the pause of a person who has signed out', async () => {
    await goLive()
    act(() => liveControls.get()?.pause())
    await newest().push(event(11, payment(2)))
    cleanup()
    forgetPause()
    await goLive()
    expect(liveStatus.get()).toMatchObject({ paused: false, waiting: 0 })
    expect(tab.queries.getQueryData(paymentKeys.one(COMPANY, 'p1'))).toBeUndefined()
    await newest().push(event(11, payment(3)))
    expect(tab.queries.getQueryData(paymentKeys.one(COMPANY, 'p1'))).toMatchObject({ version: 3 })
  })
})

describe('a refused channel', () => {
  test('is given up when it is not ours, the companies are read again, and the rest is live', async () => {
    const view = render(page(COMPANY))
    await pass(0)
    await newest().accept()
    await newest().push(welcome(), snapshot('user', 0), live('user', 0), snapshot('plans', 0), live('plans', 0))
    tab.queries.setQueryData(companyKeys.list, [])
    await newest().push({ type: 'error', id: 1, code: 'FORBIDDEN', retry: false, channel: CHANNEL })
    expect(tab.queries.getQueryState(companyKeys.list)).toMatchObject({ isInvalidated: true })
    expect(liveStatus.get().connection).toBe('connecting')
    view.rerender(page())
    expect(liveStatus.get().connection).toBe('live')
  })
  test('is asked for again when the server was busy', async () => {
    await mount()
    await newest().accept()
    await newest().push(welcome(), { type: 'error', id: 1, code: 'SERVICE_UNAVAILABLE', retry: true, channel: CHANNEL })
    expect(newest().of('subscribe')).toEqual([])
    await pass(1_100)
    expect(newest().of('subscribe')).toMatchObject([{ channel: CHANNEL }])
    expect(newest().of('sync'), 'nothing is read yet').toEqual([])
  })
})

describe('a hidden tab', () => {
  const show = (state: DocumentVisibilityState) =>
    act(() => {
      vi.spyOn(document, 'visibilityState', 'get').mockReturnValue(state)
      document.dispatchEvent(new Event('visibilitychange'))
    })
  const online = () => act(() => window.dispatchEvent(new Event('online')))

  test('that rests stays at rest when the network is back, and connects when it is seen', async () => {
    await goLive()
    show('hidden')
    online()
    await pass(0)
    expect(FakeSocket.all, 'it does not rest yet').toHaveLength(2)
    await pass(300_000)
    expect(liveStatus.get().connection).toBe('off')
    const before = FakeSocket.all.length
    online()
    await pass(60_000)
    expect(FakeSocket.all).toHaveLength(before)
    show('visible')
    await pass(0)
    expect(FakeSocket.all).toHaveLength(before + 1)
  })
})
