// What the admin's numbers are called, how they read and which direction is good. Pure.
import type { Metric, MetricName, MetricReason, Period } from '../../api/admin'
import { formatCompact, formatCompactReais, formatCount, formatDecimal } from '../../lib/decimal'
import { formatReais } from '../../lib/money'
import { isBeyondPercent, signedNumber, signedPercent } from '../../lib/percent'

type MetricKind = 'count' | 'money' | 'percent'

interface MetricSpec {
  kind: MetricKind
  /** Down is good: churn and the cost of a customer. */
  lowerIsBetter?: true
  definition: string
}

export const metricSpecs: Record<MetricName, MetricSpec> = {
  totalUsers: { kind: 'count', definition: 'Pessoas com email verificado e conta ativa.' },
  totalCompanies: { kind: 'count', definition: 'Empresas com status ativo.' },
  totalSubscriptions: { kind: 'count', definition: 'Assinaturas com status ativo, inclusive as do plano gratuito.' },
  mrr: {
    kind: 'money',
    definition:
      'Receita recorrente mensal: um doze avos do ARR. Cobranças avulsas, proporcionais e créditos não contam.',
  },
  arr: {
    kind: 'money',
    definition: 'Receita recorrente anual: a soma do preço anualizado de todas as assinaturas pagantes.',
  },
  churn: {
    kind: 'percent',
    lowerIsBetter: true,
    definition: 'Das empresas pagantes no início do período, quantas já não pagam no fim dele.',
  },
  mau: {
    kind: 'count',
    definition: 'Pessoas diferentes que usaram o Bipe nos últimos 30 dias, sem os administradores da plataforma.',
  },
  ltv: {
    kind: 'money',
    definition:
      'Valor de um cliente ao longo da relação: receita média por empresa dividida pelo churn dos últimos 30 dias.',
  },
  cac: {
    kind: 'money',
    lowerIsBetter: true,
    definition: 'Custo para conquistar um cliente: investimento do período dividido pelas novas empresas pagantes.',
  },
}

export const periodLabels: Record<Period, string> = {
  '7d': '7 dias',
  '30d': '30 dias',
  '90d': '90 dias',
  '1y': '1 ano',
}

export const periodDays: Record<Period, number> = { '7d': 7, '30d': 30, '90d': 90, '1y': 365 }

const previousLabels: Record<Period, string> = {
  '7d': '7 dias anteriores',
  '30d': '30 dias anteriores',
  '90d': '90 dias anteriores',
  '1y': '12 meses anteriores',
}

export const PERIODS = Object.keys(periodLabels) as Period[]
export const DEFAULT_PERIOD: Period = '30d'

/** What the URL names wrongly is the default. */
export function readPeriod(text: string | null): Period {
  return PERIODS.find((period) => period === text) ?? DEFAULT_PERIOD
}

/** From here on a count is shortened on a card. */
const COMPACT_FROM = 10_000

/** The whole value: "R$ 12.345,67", "2,4%", "1.234". */
export function formatMetric(kind: MetricKind, value: number): string {
  if (kind === 'money') return formatReais(value)
  return kind === 'percent' ? `${formatDecimal(value, 0, 2)}%` : formatCount(value)
}

/** The value as a card has room for: "R$ 12,3 mil". */
export function shortMetric(kind: MetricKind, value: number): string {
  if (Math.abs(value) < COMPACT_FROM || kind === 'percent') return formatMetric(kind, value)
  return kind === 'money' ? formatCompactReais(value) : formatCompact(value)
}

const reasonSentences: Record<MetricReason, string> = {
  NO_PAYING_COMPANIES: 'Nenhuma empresa pagante',
  NOBODY_LEFT: 'Nenhuma empresa deixou de pagar nos últimos 30 dias',
  NO_NEW_COMPANIES: 'Nenhuma nova empresa pagante no período',
}

/** Why a number is not defined. Churn is a share of the companies that paid when the period began. */
export function reasonText(name: MetricName, reason: MetricReason | null | undefined): string {
  if (name === 'churn' && reason === 'NO_PAYING_COMPANIES') return 'Nenhuma empresa pagante no início do período'
  return reason ? reasonSentences[reason] : 'Sem dados neste período'
}

export interface Delta {
  direction: 'up' | 'down' | 'flat'
  /** Not by direction: more churn is bad. */
  tone: 'good' | 'bad' | 'neutral'
  text: string
}

type Compared = Pick<Metric, 'change'> & Partial<Pick<Metric, 'value' | 'previous'>>

/**
 * "+4,2% vs. 30 dias anteriores", "de R$ 49,90 para R$ 18.373,00 vs. ...", and for rates "+0,9 ponto percentual ...":
 * null when there is nothing to compare with.
 */
export function deltaOf(name: MetricName, metric: Compared, period: Period): Delta | null {
  const { kind } = metricSpecs[name]
  const { change = null, value, previous } = metric
  const points = value == null || previous == null ? null : value - previous
  // Of a previous 0 there is no percentage, but there is a change. Rates are compared in points.
  const moved = kind === 'percent' ? (points ?? change) : (change ?? points)
  if (moved === null) return null
  const text = `${changeText(kind, metric)} vs. ${previousLabels[period]}`
  if (moved === 0) return { direction: 'flat', tone: 'neutral', text }
  const isGood = moved > 0 !== (metricSpecs[name].lowerIsBetter ?? false)
  return { direction: moved > 0 ? 'up' : 'down', tone: isGood ? 'good' : 'bad', text }
}

function changeText(kind: MetricKind, { change, value, previous }: Compared): string {
  if (value == null || previous == null) return signedPercent(change ?? 0)
  if (kind === 'percent') return signedPoints(value - previous)
  if (change == null ? value !== previous : isBeyondPercent(change))
    return `de ${formatMetric(kind, previous)} para ${formatMetric(kind, value)}`
  return signedPercent(change ?? 0)
}

/** The difference of two rates, to their two places: "+0,9 ponto percentual", "-2 pontos percentuais". */
function signedPoints(points: number): string {
  const text = signedNumber(points, 2)
  return `${text} ${Math.abs(points) < 1.995 ? 'ponto percentual' : 'pontos percentuais'}`
}

/** The colour of a churn rate in percent: at most 2 green, at most 3 yellow, above red. */
export function churnTone(percent: number): 'success' | 'warning' | 'danger' {
  if (percent <= 2) return 'success'
  return percent <= 3 ? 'warning' : 'danger'
}
