import { expect, test } from 'vitest'
import { noteOf, taxIdText } from './words'

test('tax ids are written with their marks, letters of a new CNPJ too', () => {
  expect(taxIdText('12345678000195')).toBe('12.345.678/0001-95')
  expect(taxIdText('12ABC34501DE35')).toBe('12.ABC.345/01DE-35')
  expect(taxIdText('11144477735')).toBe('111.444.777-35')
  expect(taxIdText('')).toBe('')
})

test('a document says what became of the money', () => {
  expect(noteOf({ kind: 'payment', becameCredit: false, total: 9990 })).toBeNull()
  expect(noteOf({ kind: 'payment', becameCredit: true, total: 9990 })).toContain('virou crédito')
  expect(noteOf({ kind: 'change', becameCredit: false, total: 0 })).toContain('nada foi cobrado')
  expect(noteOf({ kind: 'refund', becameCredit: false, total: 990 })).toContain('foi devolvido')
  expect(noteOf({ kind: 'refund', becameCredit: false, total: -990 })).toContain('desfez')
})
