// @vitest-environment happy-dom
// What an event about a subscription means for the saved cards: the server announces it anew when they change.
import type { QueryClient } from '@tanstack/react-query'
import { beforeEach, expect, test } from 'vitest'
import { emptyCache, subscription } from '../../test/cache'
import { paymentKeys } from '../api/payments'
import { subscriptionKeys } from '../api/subscriptions'
import type { EventFrame } from './frames'
import { patchCache } from './patch-cache'

const CHANNEL = 'company/c1'
const [own, foreign] = [paymentKeys.methods('c1'), paymentKeys.methods('c2')]

let queries: QueryClient
beforeEach(() => {
  queries = emptyCache()
  for (const key of [own, foreign]) queries.setQueryData(key, [])
  queries.setQueryData(subscriptionKeys.current('c1'), subscription(4))
})

const announce = (version: number) => {
  const frame = { type: 'event', channel: CHANNEL, seq: 1, name: 'subscription.updated', key: 's1', at: '' }
  patchCache(queries, {
    type: 'event',
    channel: CHANNEL,
    event: { ...frame, data: subscription(version) } as unknown as EventFrame,
  })
}
const areStale = () => [own, foreign].map((key) => queries.getQueryState(key)?.isInvalidated)

test('a card that a colleague saves, removes or makes the default one is read', () => {
  announce(4)
  expect(areStale()).toEqual([true, false])
})

test('the cards stay where the subscription itself has changed', () => {
  announce(5)
  expect(areStale()).toEqual([false, false])
})

test('a default card that is being chosen here stays shown until the last choice is answered', () => {
  const choice = queries.getMutationCache().build(queries, {
    mutationKey: own,
    mutationFn: () => new Promise<never>(() => undefined),
  })
  void choice.execute(undefined)
  announce(4)
  expect(areStale()).toEqual([false, false])
})
