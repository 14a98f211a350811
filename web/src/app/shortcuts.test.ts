import { expect, it } from 'vitest'
import { editOf, shortcutOf, shortcuts, type KeyPress } from './shortcuts'

const press = (change: Partial<KeyPress>): KeyPress => ({
  key: '',
  code: '',
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...change,
})

it('understands Ctrl and Cmd with a letter, and a slash wherever the keyboard has it', () => {
  expect(shortcutOf(press({ key: 'k', ctrlKey: true }))?.kind).toBe('palette')
  expect(shortcutOf(press({ key: 'K', metaKey: true }))?.kind).toBe('palette')
  expect(shortcutOf(press({ key: '/', ctrlKey: true, shiftKey: true }))?.kind).toBe('help')
})

it('goes by the place of the letter where Option changes what it writes', () => {
  expect(shortcutOf(press({ key: 'Î', code: 'KeyD', altKey: true, shiftKey: true }))?.label).toBe('Dashboard')
})

it('leaves alone what is typed and what belongs to the browser', () => {
  expect(shortcutOf(press({ key: 'k', code: 'KeyK' }))).toBeUndefined()
  expect(shortcutOf(press({ key: 'D', code: 'KeyD', shiftKey: true }))).toBeUndefined()
  expect(shortcutOf(press({ key: 'd', code: 'KeyD', altKey: true }))).toBeUndefined()
  expect(shortcutOf(press({ key: 'K', code: 'KeyK', ctrlKey: true, shiftKey: true }))).toBeUndefined()
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
