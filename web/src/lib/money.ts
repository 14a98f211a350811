// Money of the web app: exact conversion and pt-BR text. Plan prices travel as decimal reais (`99.9`), payments as
// integer minor units (centavos for BRL); both are converted here only. Sums and roundings follow the server's rules:
// integers, half away from zero, once per line.
import { formatBRL } from './decimal'

const ZERO_DECIMAL = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF UGX VND VUV XAF XOF XPF'.split(' '))

/** n / d rounded half away from zero. Products above 2^53 need BigInt, so everything runs in it. */
export function roundHalf(n: number | bigint, d: number | bigint): number {
  const numerator = BigInt(n)
  const divisor = BigInt(d)
  // Stryker disable next-line EqualityOperator: zero has no sign
  const magnitude = numerator < 0n ? -numerator : numerator
  const rounded = (2n * magnitude + divisor) / (2n * divisor)
  // Stryker disable next-line EqualityOperator: zero has no sign
  return Number(numerator < 0n ? -rounded : rounded)
}

/** Digits after the comma of a currency: none for the zero-decimal ones, else two. */
export function decimalsOf(currency: string): 0 | 2 {
  return ZERO_DECIMAL.has(currency.toUpperCase()) ? 0 : 2
}

/** Reais as sent by our server, in minor units. */
export function toMinor(reais: number): number {
  return roundHalf(BigInt(Math.round(reais * 100_000)), 1000)
}

/** Minor units as decimal reais, ready for the wire. */
export function toReais(minor: number): number {
  return minor / 100
}

/** "R$ 1.234,56" (U+00A0 after R$) from minor units. */
export function formatMinor(minor: number, currency = 'BRL'): string {
  const value = minor / 10 ** decimalsOf(currency)
  if (currency.toUpperCase() === 'BRL') return formatBRL(value)
  return new Intl.NumberFormat('pt-BR', { style: 'currency', currency }).format(value)
}

/** "R$ 1.234,56" from decimal reais. */
export function formatReais(reais: number): string {
  return formatMinor(toMinor(reais))
}

/** What the provider would keep: 2.9 % plus 30 centavos. Information for platform admins, never charged. */
export function estimateFee(amount: number): number {
  return roundHalf(29n * BigInt(amount), 1000) + 30
}
