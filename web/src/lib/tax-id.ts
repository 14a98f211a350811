// CPF and CNPJ: parsing with their check digits, and the mask while typing. A mask never takes away what was typed: a
// number that it does not fit stays as it is, and parsing refuses it. Since July 2026 a CNPJ may have letters.
import { formatCpf, hasValidCheckDigits, parseCpf, WRONG_CPF } from './cpf'
import { unmasked } from './plain-text'

interface TaxId {
  kind: 'cpf' | 'cnpj'
  /** Without a mask, letters in capitals. */
  text: string
}

export function parseTaxId(typed: string): TaxId | null {
  const cpf = parseCpf(typed)
  if (cpf !== null) return hasValidCheckDigits(cpf) ? { kind: 'cpf', text: cpf } : null
  const text = bare(typed)
  return isCnpj(text) ? { kind: 'cnpj', text } : null
}

/** As documents show it; also the mask while typing: up to eleven digits are a CPF. */
export function formatTaxId(typed: string): string {
  const text = bare(typed)
  if (/^\d{0,11}$/.test(text)) return formatCpf(text)
  return /^[0-9A-Z]{1,14}$/.test(text) ? formatCnpj(text) : typed
}

/** "CNPJ 11.222.333/0001-81", of a number that was checked. */
export function namedTaxId(text: string): string {
  return `${text.length === 11 ? 'CPF' : 'CNPJ'} ${formatTaxId(text)}`
}

/** Why what was typed is no tax id, in the words of its field. */
export function taxIdProblem(typed: string): string {
  const text = bare(typed)
  if (/^\d{11}$/.test(text)) return WRONG_CPF
  if (/^[0-9A-Z]{12}\d{2}$/.test(text)) return 'CNPJ inválido. Confira os números.'
  return 'Informe um CPF (11 dígitos) ou um CNPJ (14 caracteres)'
}

function bare(typed: string): string {
  return unmasked(typed).toUpperCase()
}

function formatCnpj(text: string): string {
  const [head, first, second] = [text.slice(0, 2), text.slice(2, 5), text.slice(5, 8)]
  const [branch, check] = [text.slice(8, 12), text.slice(12)]
  const dotted = [head, first, second].filter(Boolean).join('.')
  return `${dotted}${branch && `/${branch}`}${check && `-${check}`}`
}

/** A character counts as its ASCII code less 48; modulo 11 with weights 2 to 9 from the right. */
function isCnpj(text: string): boolean {
  if (!/^[0-9A-Z]{12}\d{2}$/.test(text) || /^(\d)\1{13}$/.test(text)) return false
  const values = Array.from(text, (character) => character.charCodeAt(0) - 48)
  return [12, 13].every((length) => checkDigit(values.slice(0, length)) === values[length])
}

function checkDigit(values: readonly number[]): number {
  const sum = values.toReversed().reduce((total, value, index) => total + value * (2 + (index % 8)), 0)
  const remainder = sum % 11
  return remainder < 2 ? 0 : 11 - remainder
}
