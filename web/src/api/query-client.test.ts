import { QueryObserver } from '@tanstack/react-query'
import { expect, test, vi } from 'vitest'
import { AppQueryClient } from './query-client'

interface Read {
  resolve: (text: string) => void
  reject: (error: Error) => void
}

/** A screen that shows the query; its reads wait to be answered. */
function shown() {
  const queries = new AppQueryClient({ defaultOptions: { queries: { retry: false } } })
  const reads: Read[] = []
  const queryFn = () => new Promise<string>((resolve, reject) => reads.push({ resolve, reject }))
  const observer = new QueryObserver(queries, { queryKey: ['list', 1], queryFn })
  observer.subscribe(() => undefined)
  return { queries, reads, data: () => observer.getCurrentResult().data }
}

test('news that come during the first read are read after it', async () => {
  const { queries, reads, data } = shown()
  void queries.invalidateQueries({ queryKey: ['list'] })
  reads[0]?.resolve('before')
  await vi.waitFor(() => expect(reads).toHaveLength(2))
  reads[1]?.resolve('after')
  await vi.waitFor(() => expect(data()).toBe('after'))
  expect(reads).toHaveLength(2)
})

test('a first read that fails, and news about others, are read no more', async () => {
  const { queries, reads, data } = shown()
  void queries.invalidateQueries({ queryKey: ['other'] })
  reads[0]?.resolve('once')
  await vi.waitFor(() => expect(data()).toBe('once'))
  const failing = shown()
  void failing.queries.invalidateQueries()
  failing.reads[0]?.reject(new Error('no network'))
  await vi.waitFor(() => expect(failing.queries.isFetching()).toBe(0))
  expect([reads.length, failing.reads.length]).toEqual([1, 1])
})
