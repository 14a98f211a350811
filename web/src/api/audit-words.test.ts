import { expect, test } from 'vitest'
import { actText, fieldsText } from './audit-words'

test('names the changed fields in Portuguese, each once', () => {
  expect(fieldsText(['displayName', 'name', 'limits'])).toBe('campos: nome, limites')
  expect(fieldsText(['status'])).toBe('campo: status')
  expect(fieldsText([])).toBe('')
})

test('what another version of the server wrote shows its code', () => {
  expect(actText('parcel.scan' as 'user.read')).toBe('parcel.scan')
  expect(fieldsText(['weight' as 'name'])).toBe('campo: weight')
})
