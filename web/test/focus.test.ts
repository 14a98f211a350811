// Where the keyboard's focus is can be seen: the style sheet outlines whatever has it, and only what is no control goes
// without.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const source = new URL('../src/', import.meta.url)

test('nothing but dialogs, titles and what a label is outlined for takes its outline away', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.tsx'))
  const without = files.filter((file) => readFileSync(new URL(file, source), 'utf8').includes('outline-none'))
  expect(without.toSorted()).toEqual([
    'features/account/second-factor/recovery-codes.tsx',
    'ui/alert-dialog.tsx',
    'ui/dialog.tsx',
    'ui/popover.tsx',
    'ui/radio-cards.tsx',
    'ui/sheet.tsx',
  ])
})
