// @vitest-environment happy-dom
// A command on the subscription, and what is read again after it.
import { createElement, type ReactNode } from 'react'
import { act, renderHook } from '@testing-library/react'
import { QueryClientProvider } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { emptyCache, subscription } from '../../../test/cache'
import { ApiError } from '../../api/errors'
import { subscriptionKeys } from '../../api/subscriptions'
import { useCommand } from './use-command'

test.each([
  ['is done', () => Promise.resolve(subscription(2))],
  ['fails', () => Promise.reject(new ApiError('INTERNAL_ERROR', { status: 500 }))],
])('after a command that %s the subscription and its history are read again without a live event', async (_, call) => {
  const queries = emptyCache()
  const keys = [subscriptionKeys.current('c1'), subscriptionKeys.history('c1')]
  for (const key of keys) queries.setQueryData(key, subscription(1))
  const wrapper = ({ children }: { children: ReactNode }) =>
    createElement(QueryClientProvider, { client: queries }, children)
  const { result } = renderHook(() => useCommand('c1'), { wrapper })
  await act(async () => result.current.run('Erro', call))
  expect(keys.map((key) => queries.getQueryState(key)?.isInvalidated)).toEqual([true, true])
})
