import { describe, expect, it } from 'vitest'
import vectors from '../../../core/tests/vectors/tax_ids.json'
import { formatTaxId, namedTaxId, parseTaxId, taxIdProblem } from './tax-id'

interface Case {
  name: string
  input: { op: string; text: string }
  expected: unknown
}

const cases = vectors.cases as Case[]

function answer({ op, text }: Case['input']): unknown {
  if (op === 'typing') return formatTaxId(text)
  const parsed = parseTaxId(text)
  return parsed ? { ...parsed, formatted: formatTaxId(parsed.text) } : { error: 'DOCUMENT_INVALID' }
}

describe('CPF and CNPJ', () => {
  it.each(cases)('$name', ({ input, expected }) => {
    expect(answer(input)).toEqual(expected)
  })

  it('reads every vector', () => {
    expect(cases.length).toBe(79)
  })

  it.each([
    ['a long dash', '11.222.333/0001\u201381', '11.222.333/0001-81'],
    ['a hyphen that does not break', '111.444.777\u201135', '111.444.777-35'],
    ['a minus sign', '111.444.777\u221235', '111.444.777-35'],
    ['marks around it', '\u202d11222333000181\u202c', '11.222.333/0001-81'],
  ])('is read as documents and other programs write it: %s', (_, pasted, shown) => {
    expect(formatTaxId(pasted)).toBe(shown)
    expect(parseTaxId(pasted)).toEqual(parseTaxId(shown))
    expect(parseTaxId(shown)).not.toBeNull()
  })

  it('says which of the two a number is', () => {
    expect(namedTaxId('11144477735')).toBe('CPF 111.444.777-35')
    expect(namedTaxId('12ABC34501DE35')).toBe('CNPJ 12.ABC.345/01DE-35')
  })

  it('says what is wrong with a number', () => {
    expect(taxIdProblem('111.444.777-34')).toMatch(/^CPF inválido/)
    expect(taxIdProblem('12.abc.345/01de-36')).toMatch(/^CNPJ inválido/)
    expect(taxIdProblem('112223330001811')).toMatch(/^Informe um CPF/)
  })
})
