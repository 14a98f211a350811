// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { emptyCache } from '../../../test/cache'
import { payment } from '../../../test/checkout'
import { renderAt } from '../../../test/render'
import { invoiceQuery, type Invoice } from '../../api/invoices'
import type { Payment } from '../../api/payments'
import { plansQuery } from '../../api/plans'
import { TooltipProvider } from '../../ui/tooltip'
import { ResultDetails } from './result-details'

afterEach(cleanup)

const invoice = {
  id: 'pay1',
  number: 12,
  kind: 'payment',
  at: '2026-12-01T12:00:00Z',
  payer: { name: 'Ponto Norte', taxId: null, address: null },
  planName: 'Essencial',
  billingCycle: 'monthly',
  total: 4990,
  currency: 'brl',
  becameCredit: false,
  payment: { id: 'pay1', method: 'BANK_SLIP', provider: 'stripe' },
} as Invoice

test('a boleto that was paid days later tells the day of its row from the day of the money', () => {
  const paid = payment({
    status: 'SUCCESS',
    paymentMethod: 'BANK_SLIP',
    currency: 'brl',
    createdAt: '2026-11-27T12:00:00Z',
    metadata: { planId: 'p1', billingCycle: 'monthly', changeType: 'creation' },
  } as Payment)
  const queries = emptyCache()
  queries.setQueryData(invoiceQuery('c1', 'pay1').queryKey, invoice)
  queries.setQueryData(plansQuery().queryKey, [])
  renderAt(
    '/payments/pay1',
    <TooltipProvider>
      <ResultDetails payment={paid} onLeave={undefined} />
    </TooltipProvider>,
    queries,
  )
  expect(screen.getByText('Data').nextElementSibling?.textContent).toContain('27/11/2026')
  expect(screen.getByText('Pago em').nextElementSibling?.textContent).toContain('01/12/2026')
})
