import { expect, test } from 'vitest'
import { allPages } from './all-pages'

/** A list of numbers, and the pages that were asked for. */
function list(total: number) {
  const pages: number[] = []
  const read = async (page: number, limit: number) => {
    pages.push(page)
    const from = (page - 1) * limit
    return { rows: Array.from({ length: Math.max(0, Math.min(limit, total - from)) }, (_, at) => from + at), total }
  }
  return { pages, read }
}

test.each([
  [0, [1]],
  [99, [1]],
  [100, [1]],
  [101, [1, 2]],
  [250, [1, 2, 3]],
])('%d rows are read in the pages %j', async (total, pages) => {
  const { read, pages: asked } = list(total)
  expect(await allPages(read)).toEqual(Array.from({ length: total }, (_, at) => at))
  expect(asked).toEqual(pages)
})

test('a long list is read to its end', async () => {
  const { read, pages } = list(5_250)
  expect(await allPages(read)).toHaveLength(5_250)
  expect(pages).toHaveLength(53)
})

test('a page that is not full is the last one', async () => {
  const { read, pages } = list(150)
  const rows = await allPages(async (page, limit) => ({ ...(await read(page, limit)), total: 1_000 }))
  expect(rows).toHaveLength(150)
  expect(pages).toEqual([1, 2])
})
