import { describe, expect, test } from 'vitest'
import { signedPercent } from '../../lib/percent'
import { churnTone, deltaOf, formatMetric, readPeriod, shortMetric } from './metrics'

describe('values', () => {
  test('money is written out, and short from ten thousand reais on', () => {
    expect(formatMetric('money', 12_345.67)).toBe('R$\u00a012.345,67')
    expect(shortMetric('money', 9_999.99)).toBe('R$\u00a09.999,99')
    expect(shortMetric('money', 12_345.67)).toBe('R$\u00a012,3\u00a0mil')
  })
  test('rates keep two places at most, counts have none', () => {
    expect(formatMetric('percent', 2.4)).toBe('2,4%')
    expect(formatMetric('percent', 33.33)).toBe('33,33%')
    expect(formatMetric('count', 1234)).toBe('1.234')
    expect(shortMetric('count', 20_000)).toBe('20\u00a0mil')
  })
})

describe('change', () => {
  test('growth of revenue is good and its fall is bad', () => {
    expect(deltaOf('mrr', { change: 4.2 }, '30d')).toEqual({
      direction: 'up',
      tone: 'good',
      text: '+4,2% vs. 30 dias anteriores',
    })
    expect(deltaOf('mrr', { change: -4.2 }, '7d')).toEqual({
      direction: 'down',
      tone: 'bad',
      text: '-4,2% vs. 7 dias anteriores',
    })
  })
  test('churn and the cost of a customer are the other way round', () => {
    expect(deltaOf('churn', { change: 10 }, '90d')).toMatchObject({ direction: 'up', tone: 'bad' })
    expect(deltaOf('cac', { change: -10 }, '1y')).toEqual({
      direction: 'down',
      tone: 'good',
      text: '-10% vs. 12 meses anteriores',
    })
  })
  test('a rate is compared in points, and what began with little by its values', () => {
    expect(deltaOf('churn', { value: 2.41, previous: 1.51, change: 59.4 }, '30d')).toEqual({
      direction: 'up',
      tone: 'bad',
      text: '+0,9 ponto percentual vs. 30 dias anteriores',
    })
    expect(deltaOf('churn', { value: 0, previous: 4, change: -100 }, '30d')?.text).toBe(
      '-4 pontos percentuais vs. 30 dias anteriores',
    )
    expect(deltaOf('mrr', { value: 18_373, previous: 49.9, change: 36_719.6 }, '30d')?.text).toBe(
      'de R$\u00a049,90 para R$\u00a018.373,00 vs. 30 dias anteriores',
    )
    expect(deltaOf('totalUsers', { value: 12, previous: 10, change: 20 }, '7d')?.text).toBe(
      '+20% vs. 7 dias anteriores',
    )
  })
  test('what was 0 before is compared too, though there is no percentage of it', () => {
    expect(deltaOf('churn', { value: 6.25, previous: 0, change: null }, '30d')).toEqual({
      direction: 'up',
      tone: 'bad',
      text: '+6,25 pontos percentuais vs. 30 dias anteriores',
    })
    expect(deltaOf('churn', { value: 0, previous: 0, change: null }, '30d')).toEqual({
      direction: 'flat',
      tone: 'neutral',
      text: '0 ponto percentual vs. 30 dias anteriores',
    })
    expect(deltaOf('arr', { value: 0, previous: 0, change: null }, '30d')?.text).toBe('0% vs. 30 dias anteriores')
    expect(deltaOf('mrr', { value: 149.7, previous: 0, change: null }, '7d')).toEqual({
      direction: 'up',
      tone: 'good',
      text: 'de R$\u00a00,00 para R$\u00a0149,70 vs. 7 dias anteriores',
    })
    expect(deltaOf('totalSubscriptions', { value: 0, previous: null, change: null }, '7d')).toBeNull()
  })
  test('the smallest move of a rate has a direction and a number', () => {
    expect(deltaOf('churn', { value: 2.34, previous: 2.3, change: 1.7 }, '30d')).toEqual({
      direction: 'up',
      tone: 'bad',
      text: '+0,04 ponto percentual vs. 30 dias anteriores',
    })
    expect(deltaOf('churn', { value: 33.33, previous: 33.34, change: 0 }, '30d')).toEqual({
      direction: 'down',
      tone: 'good',
      text: '-0,01 ponto percentual vs. 30 dias anteriores',
    })
    expect(deltaOf('churn', { value: 1.99, previous: 0, change: null }, '30d')?.text).toBe(
      '+1,99 ponto percentual vs. 30 dias anteriores',
    )
  })
  test('no change has no colour, no comparison has no text', () => {
    expect(deltaOf('churn', { change: 0 }, '30d')).toEqual({
      direction: 'flat',
      tone: 'neutral',
      text: '0% vs. 30 dias anteriores',
    })
    expect(deltaOf('mrr', { change: null }, '30d')).toBeNull()
  })
  test('a percentage has its sign and at most one place', () => {
    expect([12.34, -0.5, 0, 100].map(signedPercent)).toEqual(['+12,3%', '-0,5%', '0%', '+100%'])
  })
})

test.each([
  [0, 'success'],
  [2, 'success'],
  [2.01, 'warning'],
  [3, 'warning'],
  [3.01, 'danger'],
  [100, 'danger'],
] as const)('a churn of %d%% is %s', (rate, tone) => {
  expect(churnTone(rate)).toBe(tone)
})

test('a period that the URL names wrongly is 30 days', () => {
  expect(['7d', '1y', 'abc', null].map(readPeriod)).toEqual(['7d', '1y', '30d', '30d'])
})
