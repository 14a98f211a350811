// The server's policy lets exactly two inserted style texts pass, by hash: sonner's and input-otp's empty element.
// When either package changes its text, this test says so before a browser does.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const sonner = readFileSync(new URL('../node_modules/sonner/dist/index.mjs', import.meta.url), 'utf8')
const known = readFileSync(new URL('../../http/src/style-hashes.txt', import.meta.url), 'utf8')
  .split(/\s+/)
  .filter(Boolean)

function source(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

/** The argument of sonner's `__insertCSS("...")`: one string literal on one line. */
function sonnerStyle(): string {
  const literal = /^__insertCSS\(("(?:[^"\\]|\\.)*")\);?$/m.exec(sonner)?.[1]
  if (literal === undefined) throw new Error('sonner inserts its style in another way now')
  return JSON.parse(literal) as string
}

it('the policy knows the style texts of sonner and input-otp', () => {
  expect(known.toSorted()).toEqual([source(''), source(sonnerStyle())].toSorted())
})
