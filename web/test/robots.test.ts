// What search engines are told of the pages.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { legalPages, paths } from '../src/lib/paths'

const text = readFileSync(new URL('../public/robots.txt', import.meta.url), 'utf8')

test('a crawler that runs the public pages may make their calls', () => {
  const allowed = [...text.matchAll(/^Allow: (.+)$/gm)].map(([, path]) => path)
  expect(allowed).toEqual(['/api/config', '/api/subscriptions/plans'])
})

test('no page behind the sign-in or with a token in its address is indexed, and every other page may be', () => {
  const forbidden = [...text.matchAll(/^Disallow: (.+)$/gm)].map(([, prefix = '']) => prefix)
  const allowed = Object.values(paths).filter((path) => !forbidden.some((prefix) => path.startsWith(prefix)))
  const open = [paths.landing, paths.signIn, paths.signUp, paths.forgotPassword, ...legalPages.map(({ path }) => path)]
  expect(allowed.toSorted()).toEqual(open.toSorted())
})
