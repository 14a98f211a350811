// The style sheet takes the marks off lists, and Safari then takes such a list for none, except in a navigation:
// VoiceOver would say neither that a list begins nor how many lines it has. A role that is written down stays.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const source = new URL('../src/', import.meta.url)

test('every list without marks says that it is one', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.tsx') && !file.endsWith('.test.tsx'))
    .toSorted()
  const listsOf = (file: string) => readFileSync(new URL(file, source), 'utf8').match(/<[uo]l\b[^>]*>/g) ?? []
  const isTold = (list: string) => /role="list"|\blist-(disc|decimal)\b/.test(list)
  const untold = files.filter((file) => !listsOf(file).every(isTold))
  expect(untold).toEqual(['app/sidebar.tsx', 'features/admin/saved-views/saved-views-bar.tsx'])
})
