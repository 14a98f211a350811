// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { describe, expect, test, vi } from 'vitest'
import { emptyCache } from '../../../test/cache'
import { renderWith } from '../../../test/render'
import { paymentKeys } from '../../api/payments'
import type { Preview } from '../../api/subscriptions'
import { announce } from '../../ui/announcer'
import { PreviewDialog } from './preview-dialog'
import type { PlanChange } from './use-plan-change'

vi.mock('../../ui/announcer', { spy: true })

const preview = {
  changeType: 'downgrade',
  description: 'Mudança de plano',
  newPlan: { id: 'p1', name: 'Essencial', price: 49.9 },
  billing: { amountDue: 0, effectiveDate: '2026-12-22T15:00:00Z', nextBillingDate: '2026-12-22T15:00:00Z', lines: [] },
  savings: { annually: 0 },
  warnings: [],
  expiresAt: '2026-11-22T15:00:00Z',
} as unknown as Preview
const change = {
  plan: { monthlyPrice: 49.9, limits: { maxUsers: 5, maxBeeping: 500 } },
  lost: [] as string[],
  chosen: { planId: 'p1', billingCycle: 'monthly' },
  busy: false,
  choosing: null,
} as unknown as PlanChange

function show(saved: object[], lost: string[] = [], shown = preview) {
  const queries = emptyCache()
  queries.setQueryData(paymentKeys.methods('c1'), saved)
  renderWith(queries, <PreviewDialog companyId="c1" change={{ ...change, lost }} preview={shown} />)
}

describe('the end of the period', () => {
  const card = { id: 'card', isDefault: true, isDeclined: false }
  const declined = { ...card, isDeclined: true }
  const other = { ...card, id: 'other', isDefault: false }

  test('is the next charge of a saved card', () => {
    show([card])
    expect(screen.getByText('Próxima cobrança')).toBeTruthy()
  })

  test.each([
    ['without one', []],
    ['where it was declined for good', [declined]],
    ['where only the default one was', [declined, other]],
  ])('promises no charge %s', (_, saved) => {
    show(saved)
    expect(screen.getByText('Novo vencimento')).toBeTruthy()
    expect(screen.queryByText('Próxima cobrança')).toBeNull()
  })
})

describe('when the change takes effect', () => {
  const showAt = (effectiveDate: string) => show([], [], { ...preview, billing: { ...preview.billing, effectiveDate } })

  test.each([
    ['the instant of the quote', '2026-11-22T14:45:00Z'],
    ['the end of a period that is over', '2026-11-22T14:30:00Z'],
  ])('%s is now', (_, effectiveDate) => {
    showAt(effectiveDate)
    expect(screen.getByText('Aplicada imediatamente')).toBeTruthy()
  })

  test('the end of the period is not, also where it comes before the quote expires', () => {
    showAt('2026-11-22T14:45:01Z')
    expect(screen.getByText('Aplicada ao fim do período atual')).toBeTruthy()
  })
})

test('what a colleague has made of the subscription meanwhile is said and announced', () => {
  const queries = emptyCache()
  queries.setQueryData(paymentKeys.methods('c1'), [])
  renderWith(queries, <PreviewDialog companyId="c1" change={{ ...change, isFollowed: true }} preview={preview} />)
  const { textContent } = screen.getByText(/^A assinatura mudou enquanto esta janela estava aberta\./)
  expect(vi.mocked(announce).mock.calls).toEqual([[textContent]])
})

describe('a smaller plan', () => {
  test('names its limits and what it lacks', () => {
    show([], ['Relatórios', 'Suporte por telefone'])
    expect(screen.getByText('Depois: até 5 usuários e 500 bipagens por mês.')).toBeTruthy()
    expect(screen.getByText('Deixa de incluir: Relatórios; Suporte por telefone.')).toBeTruthy()
  })

  test('names nothing where nothing is lost', () => {
    show([])
    expect(screen.queryByText(/Deixa de incluir/)).toBeNull()
  })
})
