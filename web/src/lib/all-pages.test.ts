import { expect, test } from 'vitest'
import { allPages } from './all-pages'

const rowsFrom = (from: number, length: number) => Array.from({ length }, (_, at) => ({ id: String(from + at) }))

/** A list of rows, and the pages that were asked for. */
function list(total: number) {
  const pages: number[] = []
  const read = async (page: number, limit: number) => {
    pages.push(page)
    const from = (page - 1) * limit
    return { rows: rowsFrom(from, Math.max(0, Math.min(limit, total - from))), total }
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
  expect(await allPages(read)).toEqual(rowsFrom(0, total))
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

test('a row that comes to the top meanwhile puts no other one into the file twice', async () => {
  const { read } = list(250)
  const rows = await allPages(async (page, limit) => {
    if (page === 1) return read(page, limit)
    const from = (page - 1) * limit - 1
    return { rows: rowsFrom(from, Math.min(limit, 250 - from)), total: 251 }
  })
  expect(rows).toEqual(rowsFrom(0, 250))
})
