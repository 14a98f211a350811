// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { emptyCache } from '../../../test/cache'
import { renderWith } from '../../../test/render'
import { subscriptionKeys, type HistoryEntry } from '../../api/subscriptions'
import { Timeline } from './timeline'

const entry = (id: string, type: HistoryEntry['type'], detail: string) =>
  ({ id, type, detail, at: '2026-11-21T12:00:00Z', planName: 'Essencial', billingCycle: 'monthly' }) as HistoryEntry

test('why a charge failed is said in words, and what a person wrote is quoted', () => {
  const queries = emptyCache()
  const history = [
    entry('h3', 'renewal_failed', 'insufficient_funds'),
    entry('h2', 'renewal_failed', 'code_of_a_newer_server'),
    entry('h1', 'canceled', 'Preço'),
  ]
  queries.setQueryData(subscriptionKeys.history('c1'), {
    pages: [{ history, page: 1, total: 3 }],
    pageParams: [1],
  })
  renderWith(queries, <Timeline companyId="c1" />)
  screen.getByText('O cartão não tem saldo ou limite suficiente.')
  screen.getByText('O pagamento não foi concluído.')
  screen.getByText('“Preço”')
})

test('the amount of a cancellation and of an end is told from one that was paid', () => {
  const queries = emptyCache()
  const history = [
    { ...entry('h3', 'expired', ''), amount: 33.3 },
    { ...entry('h2', 'canceled', ''), amount: 66.6 },
    { ...entry('h1', 'activated', ''), amount: 99.9 },
  ]
  queries.setQueryData(subscriptionKeys.history('c1'), {
    pages: [{ history, page: 1, total: 3 }],
    pageParams: [1],
  })
  renderWith(queries, <Timeline companyId="c1" />)
  screen.getByText(/^R\$\s33,30 em crédito$/)
  screen.getByText(/^R\$\s66,60 em crédito$/)
  screen.getByText(/^R\$\s99,90$/)
})

test('an entry that moved to the next page meanwhile is shown once', () => {
  const [newer, older] = [entry('h2', 'renewal_failed', 'declined'), entry('h1', 'canceled', 'Preço')]
  const queries = emptyCache()
  queries.setQueryData(subscriptionKeys.history('c1'), {
    pages: [
      { history: [newer], page: 1, total: 11 },
      { history: [newer, older], page: 2, total: 12 },
    ],
    pageParams: [1, 2],
  })
  renderWith(queries, <Timeline companyId="c1" />)
  expect(screen.getAllByRole('listitem')).toHaveLength(2)
})
