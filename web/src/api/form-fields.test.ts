import { expect, test } from 'vitest'
import { z } from '../lib/zod'
import {
  code,
  email,
  newPassword,
  newPasswordPair,
  optional,
  passwordsAgree,
  passwordsDiffer,
  personName,
  phone,
} from './form-fields'

function sentences(schema: z.ZodMiniType, value: unknown): string[] {
  return schema.safeParse(value).error?.issues.map(({ message }) => message) ?? []
}

const REQUIRED = 'Este campo é obrigatório'

test.each([
  [personName, '  ', [REQUIRED]],
  [personName, ' a ', ['Nome deve ter pelo menos 2 caracteres']],
  [personName, '🚚', ['Nome deve ter pelo menos 2 caracteres']],
  [personName, 'Ana', []],
  [email, '', [REQUIRED]],
  [email, 'ana@', ['Email inválido']],
  [email, 'аna@example.com', ['Email inválido']],
  [email, ' ana@example.com ', []],
  [code, '12345', ['Código deve ter 6 dígitos']],
  [newPassword, '', [REQUIRED]],
  [newPassword, 'Aa1!', ['Senha deve ter pelo menos 8 caracteres']],
  [newPassword, 'Aa1!🚚🚚', ['Senha deve ter pelo menos 8 caracteres']],
  [newPassword, 'abcdefgh', ['Senha deve ter pelo menos 8 caracteres, com maiúscula, minúscula, número e símbolo']],
  [newPassword, 'Abcdef1!', []],
])('one sentence for a wrong value %#', (schema, value, expected) => {
  expect(sentences(schema, value)).toEqual(expected)
})

/** The cases of the server's own test. */
test.each([
  'ana@example',
  '@example.com',
  'a na@example.com',
  'ana@exämple.com',
  'ana@-x.com',
  'ana@x..com',
  'josé@example.com',
  '\u{212a}ai@example.com',
  'a@b@example.com',
  '"ana"@example.com',
  'ana@[127.0.0.1]',
  'ana@127.0.0.1',
  `${'a'.repeat(65)}@example.com`,
  'ana@example.com.',
  'ana@example.com;',
  '<ana@example.com>',
  'ana@em_presa.com',
])('%s is no address', (typed) => {
  expect(sentences(email, typed)).toEqual(['Email inválido'])
})

test.each(['Ana.Souza@Example.COM', 'a+b@ex-1.com.br', 'ana@163.com', 'admin@bipe.localhost'])(
  '%s is an address',
  (typed) => {
    expect(email.parse(typed)).toBe(typed)
  },
)

test.each([
  [email, ' ana@example.com ', 'ana@example.com'],
  [personName, '\u2068Ana Souza\u2069 ', 'Ana Souza'],
  [optional, ' \u200e', ''],
  [email, '\u200bana@exam\u00adple.com\u2060', 'ana@example.com'],
  [personName, 'Ana\tSouza\u2028', 'Ana Souza'],
  [optional, 'um\u2028dois\u000btrês\u0002\nquatro', 'um dois três \nquatro'],
])('surrounding spaces, marks and control characters are no part of a text %#', (schema, typed, sent) => {
  expect(schema.parse(typed)).toBe(sent)
})

test('passwords that differ are told beside what else is wrong, an empty confirmation is only missing', () => {
  const pair = z.object(newPasswordPair).check(z.refine(passwordsAgree, passwordsDiffer))
  expect(sentences(pair, { newPassword: 'Aa1!', confirmPassword: 'Aa1' })).toEqual([
    'Senha deve ter pelo menos 8 caracteres',
    'As senhas não coincidem',
  ])
  expect(sentences(pair, { newPassword: 'Abcdef1!', confirmPassword: '' })).toEqual([REQUIRED])
})

test.each([
  ['+55\u00a011 98765-4321', '+55 11 98765-4321'],
  ['11\u00a098765-4321', '(11) 98765-4321'],
  ['\u202a+55 11 98765\u20114321\u202c', '+55 11 98765-4321'],
  ['\u200e(11) 98765\u20134321', '(11) 98765-4321'],
  ['\ufeff(11) 98765-4321\u200b', '(11) 98765-4321'],
  ['11.98765.4321', '(11) 98765-4321'],
  ['(11)3456.7890', '(11) 3456-7890'],
  ['+55.11.98765.4321', '+55 11 98765 4321'],
])('the pasted phone %j is sent with plain characters', (pasted, sent) => {
  expect(phone.parse(pasted)).toBe(sent)
})
