// Where the keyboard's focus is can be seen: the style sheet outlines whatever has it, and only what is no control goes
// without.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const source = new URL('../src/', import.meta.url)
const textOf = (file: string) => readFileSync(new URL(file, source), 'utf8')
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.tsx'))

test('nothing but dialogs, titles and what a label is outlined for takes its outline away', () => {
  const without = files.filter((file) => textOf(file).includes('outline-none'))
  expect(without.toSorted()).toEqual([
    'features/account/second-factor/recovery-codes.tsx',
    'ui/alert-dialog.tsx',
    'ui/dialog.tsx',
    'ui/popover.tsx',
    'ui/radio-cards.tsx',
    'ui/sheet.tsx',
  ])
})

test('what is clipped at its sides has its outline inside', () => {
  const clipped = files.filter((file) => textOf(file).includes('overflow-x-clip'))
  expect(clipped).toEqual(['ui/chart.tsx'])
  for (const file of clipped) expect(textOf(file)).toMatch(/overflow-x-clip [^"]*-outline-offset-2"/)
})
