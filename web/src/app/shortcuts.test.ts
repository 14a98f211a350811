import { expect, it } from 'vitest'
import type { Company } from '../api/companies'
import { editOf, shortcutOf, shortcuts, shortcutsFor, type KeyPress } from './shortcuts'

const press = (change: Partial<KeyPress>): KeyPress => ({
  key: '',
  code: '',
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...change,
})

const meant = (change: Partial<KeyPress>) => shortcutOf(press(change), shortcuts)

it('understands Ctrl and Cmd with a letter, and a slash wherever the keyboard has it', () => {
  expect(meant({ key: 'k', ctrlKey: true })?.kind).toBe('palette')
  expect(meant({ key: 'K', metaKey: true })?.kind).toBe('palette')
  expect(meant({ key: '/', ctrlKey: true, shiftKey: true })?.kind).toBe('help')
})

it('goes by the place of the letter where Option changes what it writes', () => {
  expect(meant({ key: 'Î', code: 'KeyD', altKey: true, shiftKey: true })?.label).toBe('Dashboard')
})

it('leaves alone what is typed and what belongs to the browser', () => {
  expect(meant({ key: 'k', code: 'KeyK' })).toBeUndefined()
  expect(meant({ key: 'D', code: 'KeyD', shiftKey: true })).toBeUndefined()
  expect(meant({ key: 'd', code: 'KeyD', altKey: true })).toBeUndefined()
  expect(meant({ key: 'K', code: 'KeyK', ctrlKey: true, shiftKey: true })).toBeUndefined()
})

it('knows which keys write, and which takes the last letter back', () => {
  expect(editOf(press({ key: 'Ç', shiftKey: true }))?.('pagamento pre')).toBe('pagamento preÇ')
  expect(editOf(press({ key: ' ' }))?.('criar')).toBe('criar ')
  expect(editOf(press({ key: 'Backspace' }))?.('pix')).toBe('pi')
  for (const key of ['Enter', 'Escape', 'Shift', 'ArrowDown', 'Dead']) expect(editOf(press({ key }))).toBeUndefined()
  expect(editOf(press({ key: 'v', ctrlKey: true }))).toBeUndefined()
})

it('gives no two shortcuts the same keys', () => {
  const keys = shortcuts.map((shortcut) => shortcut.keys.join('+'))
  expect(new Set(keys).size).toBe(keys.length)
})

it('neither lists nor obeys what leads operators to a refusal', () => {
  const as = (userRole: Company['userRole']) => shortcutsFor({ userRole } as Company)
  const payments = press({ code: 'KeyG', altKey: true, shiftKey: true })
  expect(as('operator').map(({ label }) => label)).not.toContain('Pagamentos')
  expect(as('operator')).toHaveLength(shortcuts.length - 1)
  expect(shortcutOf(payments, as('operator'))).toBeUndefined()
  for (const offered of [as('admin'), as('finance'), shortcutsFor(undefined)])
    expect(shortcutOf(payments, offered)?.label).toBe('Pagamentos')
})
