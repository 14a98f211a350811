// The years that a company may have documents of, and why there is no file of one.
import type { ApiError } from '../../api/errors'

/** In one file; as in `core/src/invoice/archive.rs`. */
const MAX_DOCUMENTS = 500

/** From the year of the last day down to that of the first; at least the last one. */
export function yearsFrom(first: string, last: string): number[] {
  const [from, to] = [Number(first.slice(0, 4)), Number(last.slice(0, 4))]
  return Array.from({ length: Math.max(0, to - from) + 1 }, (_, back) => to - back)
}

export function failureOfYear({ fields, sentence }: Pick<ApiError, 'fields' | 'sentence'>): string {
  if (fields.year !== 'TOO_LONG') return sentence
  return `O ano tem mais de ${MAX_DOCUMENTS} faturas. Exporte o CSV, ou baixe o PDF de cada uma.`
}
