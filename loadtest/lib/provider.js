// The payment provider of a run: the sandbox settles what is open, and its webhooks are signed as Stripe signs them
// (https://docs.stripe.com/webhooks#verify-manually). Called by the payment scenarios.

import http from 'k6/http'
import crypto from 'k6/crypto'
import { check } from 'k6'
import { BASE, get, post } from './api.js'
import { bearer } from './people.js'

/** Where the sandbox listens: of SANDBOX_URL, else inside the server. */
const SANDBOX = (__ENV.SANDBOX_URL || `${BASE}/sandbox`).replace(/\/$/, '')

/** Begins a PIX payment of a company's first month; returns the payment, null when it was refused. */
export function beginPix(person, companyId, plan) {
  const body = {
    amount: Math.round(plan.monthlyPrice * 100),
    currency: 'brl',
    paymentMethod: { type: 'PIX' },
    // A payer of this name leaves the code unpaid until somebody settles it.
    customer: { name: 'Pessoa de Carga', email: 'fill_never@example.com' },
    metadata: { companyId, planId: plan.id, billingCycle: 'monthly' },
  }
  const key = `carga-${Date.now()}-${Math.random().toString(36).slice(2)}`
  const { data } = post('/api/payments/process', { token: bearer(person), body, key, expect: [201] })
  return data && data.payment
}

export const paymentNow = (person, id) => {
  const { data } = get(`/api/payments/status/${id}`, { name: '/api/payments/status/{id}', token: bearer(person) })
  return data && data.payment
}

/** Pays it, as the payer's bank would. */
export function settle(payment) {
  const response = http.post(
    `${SANDBOX}/v1/test/payment_intents/${payment.transactionId}/settle`,
    { outcome: 'succeeded' },
    { headers: { Authorization: 'Bearer sk_test_sandbox' }, tags: { name: 'POST sandbox settle' } },
  )
  return check(response, { 'POST sandbox settle': ({ status }) => status === 200 })
}

/** An event as Stripe shapes it. It claims that an intent succeeded; whether that is so, the server must ask. */
export const claim = (id, intent) =>
  JSON.stringify({
    id,
    object: 'event',
    api_version: '2025-08-27.basil',
    created: Math.floor(Date.now() / 1000),
    type: 'payment_intent.succeeded',
    data: { object: { id: intent, object: 'payment_intent', status: 'succeeded' } },
  })

/** The server's STRIPE_WEBHOOK_SECRET; a server that was given none makes one that nobody else knows. */
export const WEBHOOK_SECRET = __ENV.WEBHOOK_SECRET

/** Delivers an event as the provider does. */
export function deliver(event, { secret = WEBHOOK_SECRET, expect = [200] } = {}) {
  const at = Math.floor(Date.now() / 1000)
  const signature = crypto.hmac('sha256', secret, `${at}.${event}`, 'hex')
  const response = http.post(`${BASE}/api/payments/webhooks/stripe`, event, {
    headers: { 'Content-Type': 'application/json; charset=utf-8', 'Stripe-Signature': `t=${at},v1=${signature}` },
    tags: { name: 'POST /api/payments/webhooks/stripe' },
    responseCallback: http.expectedStatuses(...expect),
  })
  return check(response, { [`a webhook is answered ${expect.join(' or ')}`]: ({ status }) => expect.includes(status) })
}
