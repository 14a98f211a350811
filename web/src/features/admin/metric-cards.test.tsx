// @vitest-environment happy-dom
import { fireEvent, screen } from '@testing-library/react'
import { useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { expect, test, vi } from 'vitest'
import { emptyCache } from '../../../test/cache'
import { renderWith } from '../../../test/render'
import { adminKeys, dashboardQuery, type Metrics, type Period } from '../../api/admin'
import { api } from '../../api/client'
import { MetricCards } from './metric-cards'

function Cards() {
  const [period, setPeriod] = useState<Period>('30d')
  return (
    <>
      <button type="button" onClick={() => setPeriod('7d')}>
        7d
      </button>
      <MetricCards
        query={useQuery(dashboardQuery(period))}
        errorTitle=""
        cards={[{ name: 'mrr', label: 'MRR' }]}
        className=""
      />
    </>
  )
}

test('while another period is asked for, a change is said to be of the period that it is of', () => {
  vi.spyOn(api, 'GET').mockReturnValue(new Promise(() => undefined) as never)
  const queries = emptyCache()
  const mrr = { value: 104.2, previous: 100, change: 4.2, changeType: 'increase', period: '30d' }
  queries.setQueryData(adminKeys.dashboard('30d'), { mrr } as unknown as Metrics)
  renderWith(queries, <Cards />)
  fireEvent.click(screen.getByRole('button', { name: '7d' }))
  screen.getByText('+4,2% vs. 30 dias anteriores')
})

test('the whole of a shortened value is said beside its definition, for who cannot point at it', () => {
  vi.spyOn(api, 'GET').mockReturnValue(new Promise(() => undefined) as never)
  const queries = emptyCache()
  const mrr = { value: 12_345.67, previous: null, change: null, period: '30d' }
  queries.setQueryData(adminKeys.dashboard('30d'), { mrr } as unknown as Metrics)
  renderWith(queries, <Cards />)
  fireEvent.click(screen.getByRole('button', { name: 'O que é MRR' }))
  expect(screen.getByRole('dialog').textContent).toContain('MRR: R$\u00a012.345,67')
})
