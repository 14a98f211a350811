import { describe, expect, it, vi } from 'vitest'
import { ApiError, asLoadError, asApiError, fieldSentenceOf, sentenceOf, sentences } from './errors'

describe('sentences', () => {
  it('shows an unknown code as itself', () => {
    expect(sentenceOf('TEAPOT')).toBe('Erro: TEAPOT')
  })

  it('does not mistake inherited names for codes', () => {
    expect(sentenceOf('toString')).toBe('Erro: toString')
  })

  it('puts the seconds into the rate limit', () => {
    expect(sentenceOf('RATE_LIMITED', 42)).toBe('Muitas tentativas. Tente novamente em 42 s.')
    expect(sentenceOf('RATE_LIMITED', 28_800)).toBe('Muitas tentativas. Tente novamente em 8 h.')
    expect(sentenceOf('RATE_LIMITED')).toBe('Muitas tentativas. Tente novamente em 60 s.')
  })

  it('leaves no placeholder in any sentence', () => {
    expect(
      Object.keys(sentences)
        .map((code) => sentenceOf(code))
        .filter((text) => text.includes('{')),
    ).toEqual([])
  })
})

describe('field sentences', () => {
  it('prefers the wording of the form', () => {
    expect(fieldSentenceOf('EMAIL_INVALID')).toBe('Email inválido')
    expect(fieldSentenceOf('EMAIL_INVALID', { EMAIL_INVALID: 'Email deve ter um formato válido' })).toBe(
      'Email deve ter um formato válido',
    )
  })

  it('calls an unknown field code invalid', () => {
    expect(fieldSentenceOf('TEAPOT')).toBe('Valor inválido')
  })
})

describe('ApiError', () => {
  it('tells an uncertain end from a verdict', () => {
    expect(new ApiError('NETWORK_ERROR').isUncertain).toBe(true)
    expect(new ApiError('SERVICE_UNAVAILABLE', { status: 503 }).isUncertain).toBe(true)
    expect(new ApiError('CONFLICT', { status: 409 }).isUncertain).toBe(false)
  })

  it('turns a defect of ours into an internal error and logs it', () => {
    const log = vi.spyOn(console, 'error').mockReturnValue(undefined)
    const defect = new Error('defect')
    expect(asApiError(defect).code).toBe('INTERNAL_ERROR')
    expect(log).toHaveBeenCalledWith(defect)
  })
})

it('a load that fails unforeseen says its message, or that it is unknown', () => {
  expect(asLoadError(new Error('sem memória'))).toMatchObject({ code: 'LOAD_ERROR', sentence: 'sem memória' })
  expect(asLoadError('?')).toMatchObject({ code: 'LOAD_ERROR', sentence: 'Erro desconhecido' })
  const refusal = new ApiError('FORBIDDEN')
  expect(asLoadError(refusal)).toBe(refusal)
})
