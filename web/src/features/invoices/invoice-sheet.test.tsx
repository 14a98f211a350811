// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderAt } from '../../../test/render'
import type { Invoice } from '../../api/invoices'
import { InvoiceSheet } from './invoice-sheet'

const invoice = (rest: Partial<Invoice>) =>
  ({
    id: 'p1',
    number: 123,
    kind: 'payment',
    at: '2026-11-01T15:00:00Z',
    issuedAt: '2026-11-01T15:00:01Z',
    issuer: { name: '', taxId: '', address: '', email: '' },
    payer: { name: 'Ponto Norte', taxId: null, address: null },
    planName: 'Essencial',
    billingCycle: 'monthly',
    lines: [{ kind: 'plan', amount: 9990 }],
    total: 9990,
    taxes: 0,
    currency: 'brl',
    becameCredit: false,
    payment: { id: 'p1', method: 'PIX', provider: 'stripe' },
    ...rest,
  }) as Invoice

const show = (rest: Partial<Invoice>) => renderAt('/invoices/x', <InvoiceSheet invoice={invoice(rest)} />)

test('the document of a payment leads to the payment of that day', () => {
  show({})
  expect(screen.getByRole('link', { name: 'de 01/11/2026' }).getAttribute('href')).toBe('/payments/p1')
})

test('that of a refund leads to the document of the payment, and gives the payment no day', () => {
  show({ id: 'r1', number: 124, kind: 'refund', at: '2026-11-20T15:00:00Z' })
  expect(screen.getByRole('link', { name: 'Fatura do pagamento' }).getAttribute('href')).toBe('/invoices/p1')
  expect(screen.queryByText('de 20/11/2026')).toBeNull()
})
