// The server answers 404 where the app has no page: it knows the pages by a list.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { invoiceRoute, paths, paymentsRoute } from '../src/lib/paths'

test('the server knows every page of the app, and no other', () => {
  const known = readFileSync(new URL('../../http/src/pages.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n')
  const pages = [...Object.values(paths), paymentsRoute, invoiceRoute].filter((path) => path !== paths.landing)
  expect(known.toSorted()).toEqual(pages.toSorted())
})
