import { expect, test } from 'vitest'
import { companyEditSchema } from './company-form'

const form = { name: 'Ponto Central', description: '', status: 'active' as const, reason: '', wasSuspended: false }

function problems(change: object): Record<string, string> {
  const { error } = companyEditSchema.safeParse({ ...form, ...change })
  return Object.fromEntries(error?.issues.map(({ path, message }) => [path.join('.'), message]) ?? [])
}

test('suspending needs a reason, staying suspended does not', () => {
  expect(problems({ status: 'suspended' })).toEqual({ reason: 'Este campo é obrigatório' })
  expect(problems({ status: 'suspended', reason: '   ' })).toEqual({ reason: 'Este campo é obrigatório' })
  expect(problems({ status: 'suspended', reason: 'Cobrança contestada' })).toEqual({})
  expect(problems({ status: 'suspended', wasSuspended: true })).toEqual({})
  expect(problems({ status: 'inactive' })).toEqual({})
})

test('a company keeps a name', () => {
  expect(problems({ name: ' ' })).toEqual({ name: 'Nome da empresa é obrigatório' })
  expect(problems({ name: 'A' })).toEqual({ name: 'Nome deve ter pelo menos 2 caracteres' })
})

test('a description has as many characters as the server takes', () => {
  expect(problems({ description: '🚚'.repeat(500) })).toEqual({})
  expect(problems({ description: '🚚'.repeat(501) })).toEqual({ description: 'Texto muito longo' })
})
