import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { warningText } from './labels'

test('every warning of a quote has a sentence, and a new one shows its code', () => {
  const contract = readFileSync(new URL('../../../../http/openapi.json', import.meta.url), 'utf8')
  const { components } = JSON.parse(contract) as { components: { schemas: { Warning: { enum: string[] } } } }
  const codes = components.schemas.Warning.enum
  expect(codes).toContain('RENEWAL_DUE')
  expect(codes.filter((code) => warningText(code) === code)).toEqual([])
  expect(warningText('NEW_ONE')).toBe('NEW_ONE')
})
