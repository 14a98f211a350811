import { expect, test } from 'vitest'
import { mergeChanges } from './merge-changes'

const opened = { name: 'Essencial', price: 12_345.67, features: ['Painel'] }

test('only what this form changed is written over what the server has by now', () => {
  const now = { name: 'Essencial', price: 500, features: ['Painel', 'Suporte'] }
  expect(mergeChanges(opened, { ...opened, name: 'Inicial' }, now)).toEqual({ ...now, name: 'Inicial' })
})

test('what both changed in different ways is refused, in the same way it is not', () => {
  const edited = { ...opened, price: 400 }
  expect(() => mergeChanges(opened, edited, { ...opened, price: 500 })).toThrow('CONFLICT')
  expect(() => mergeChanges(opened, { ...opened, features: [] }, { ...opened, features: ['Suporte'] })).toThrow(
    'CONFLICT',
  )
  expect(mergeChanges(opened, edited, { ...edited, name: 'Inicial' })).toEqual({ ...edited, name: 'Inicial' })
})
