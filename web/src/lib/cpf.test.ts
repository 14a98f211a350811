import { describe, expect, it } from 'vitest'
import vectors from '../../../core/tests/vectors/cpf.json'
import { formatCpf, hasValidCheckDigits, parseCpf } from './cpf'

interface Case {
  name: string
  input: { op: string; text?: string; digits?: string }
  expected: unknown
}

// Only the server masks.
const cases = (vectors.cases as Case[]).filter(({ input }) => input.op !== 'mask')

function answer({ op, text = '', digits = '' }: Case['input']): unknown {
  const given = text || digits
  switch (op) {
    case 'parse': {
      const parsed = parseCpf(given)
      return parsed === null ? { error: 'DOCUMENT_INVALID' } : { digits: parsed }
    }
    case 'format':
    case 'typing':
      return formatCpf(given)
    case 'checkDigits':
      return hasValidCheckDigits(given)
    default:
      throw new Error(`unknown op ${op}`)
  }
}

describe('CPF', () => {
  it.each(cases)('$name', ({ input, expected }) => {
    expect(answer(input)).toEqual(expected)
  })

  it('reads every vector', () => {
    expect(cases.length).toBeGreaterThan(20)
  })

  it('refuses check digits of anything that is not eleven digits', () => {
    expect(hasValidCheckDigits('123')).toBe(false)
  })
})
