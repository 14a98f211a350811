// A payment as a platform admin sees it, with everything that its sheet shows.
import type { AdminPayment, AdminPaymentDetail } from '../src/api/admin-payments'

export const payment: AdminPayment = {
  id: '019aad8a-0000-7000-8000-0000deadbeef',
  companyId: '019aad8a-0000-7000-8000-0000cafebabe',
  companyName: 'Ponto Central',
  planName: 'Profissional',
  status: 'SUCCESS',
  amount: 9990,
  refunded: 990,
  disputed: false,
  superseded: false,
  currency: 'brl',
  provider: 'stripe',
  paymentMethod: 'PIX',
  transactionId: 'pi_77',
  createdAt: '2026-11-21T12:00:00Z',
  updatedAt: '2026-11-21T12:01:00Z',
  canRetry: false,
  metadata: { companyId: 'c', planId: 'p', billingCycle: 'monthly', changeType: 'creation' },
  version: 3,
}

export const detail: AdminPaymentDetail = {
  ...payment,
  payer: { id: 'u', name: 'Ana Souza', email: 'ana@exemplo.com.br' },
  billing: { name: 'Ponto Central Ltda', taxId: '11222333000181', address: 'Avenida Paulista, 1000' },
  refunds: [
    {
      id: 'r',
      paymentId: payment.id,
      state: 'accepted',
      amount: 990,
      reason: 'Cobrado a mais',
      requestedBy: 'Rita Suporte',
      providerRefund: 're_1',
      refusal: null,
      createdAt: '2026-11-21T13:00:00Z',
      settledAt: '2026-11-21T13:00:01Z',
    },
  ],
  refundable: 9000,
  refundBlock: null,
  documents: [{ id: 'd', kind: 'payment', number: 7, at: '2026-11-21T12:01:00Z', total: 9990 }],
  attempts: [{ ...payment, id: 'other', status: 'FAILED', failureCode: 'expired_card' }],
  history: [
    { id: 'a', at: '2026-11-21T12:01:00Z', action: 'payment.succeed', outcome: 'ok', fields: [] },
  ] as unknown as AdminPaymentDetail['history'],
  trail: {
    webhooks: [
      {
        id: 'evt_1',
        type: 'payment_intent.succeeded',
        receivedAt: '2026-11-21T12:01:00Z',
        handledAt: '2026-11-21T12:01:00Z',
        outcome: 'handled',
      },
      { id: 'evt_2', type: 'charge.refunded', receivedAt: '2026-11-21T13:00:02Z', handledAt: null, outcome: null },
    ],
    events: [{ name: 'payment.updated', seq: 41, at: '2026-11-21T12:01:00Z' }],
    notifications: [{ topic: 'payment.approved', at: '2026-11-21T12:01:00Z', people: 2 }],
    mails: [
      { createdAt: '2026-11-21T12:01:30Z', attempts: 1, nextTryAt: '2026-11-21T15:00:00Z', givenUpAt: null },
      { createdAt: '2026-11-20T12:00:00Z', attempts: 33, nextTryAt: null, givenUpAt: '2026-11-21T12:00:00Z' },
    ],
  },
}
