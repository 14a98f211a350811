import { expect, test } from 'vitest'
import { noteOf } from './words'

test('a document says what became of the money', () => {
  expect(noteOf({ kind: 'payment', becameCredit: false, total: 9990 })).toBeNull()
  expect(noteOf({ kind: 'payment', becameCredit: true, total: 9990 })).toContain('virou crédito')
  expect(noteOf({ kind: 'change', becameCredit: false, total: 0 })).toContain('nada foi cobrado')
  expect(noteOf({ kind: 'refund', becameCredit: false, total: 990 })).toContain('foi devolvido')
  expect(noteOf({ kind: 'refund', becameCredit: false, total: -990 })).toContain('desfez')
})
