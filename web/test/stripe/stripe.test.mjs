// The sandbox provider, driven by the official `stripe` package: a client that nobody here wrote.
// Run by `npm run test:stripe`; needs the built binary (BIPE_BIN, else target/debug/bipe).
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { Stripe } from 'stripe'
import { PUBLISHABLE_KEY, SECRET_KEY, WEBHOOK_SECRET, startSandbox } from './sandbox.mjs'

let sandbox
let stripe
let browser

const client = (key) =>
  new Stripe(key, {
    host: sandbox.address.hostname,
    port: sandbox.address.port,
    protocol: 'http',
    maxNetworkRetries: 0,
    telemetry: false,
    timeout: 10_000,
  })

before(async () => {
  sandbox = await startSandbox()
  stripe = client(SECRET_KEY)
  browser = client(PUBLISHABLE_KEY)
})

after(() => sandbox?.stop())

const card = (number) =>
  browser.paymentMethods.create({ type: 'card', card: { number, exp_month: 12, exp_year: 2040, cvc: '123' } })

/** Nothing that leaves the page: then no `return_url` is asked for. */
const onPage = { automatic_payment_methods: { enabled: true, allow_redirects: 'never' } }

const address = { line1: 'Rua das Flores 1', city: 'Sao Paulo', state: 'SP', postal_code: '01310-100', country: 'BR' }

test('customers are created, changed, listed and never found under a wrong id', async () => {
  const customer = await stripe.customers.create({
    name: 'Ana',
    email: 'ana@example.com',
    metadata: { companyId: 'c1' },
  })
  assert.equal(customer.object, 'customer')
  const changed = await stripe.customers.update(customer.id, {
    name: 'Ana Lima',
    metadata: { companyId: '', plan: 'p' },
  })
  assert.deepEqual([changed.name, changed.email, changed.metadata], ['Ana Lima', 'ana@example.com', { plan: 'p' }])
  const listed = await stripe.customers.list({ email: 'ana@example.com' })
  assert.deepEqual(
    listed.data.map((row) => row.id),
    [customer.id],
  )
  await assert.rejects(stripe.customers.retrieve('cus_nobody'), (error) => {
    assert.ok(error instanceof Stripe.errors.StripeInvalidRequestError)
    assert.deepEqual([error.statusCode, error.code], [404, 'resource_missing'])
    return true
  })
  await assert.rejects(browser.customers.create({}), Stripe.errors.StripeAuthenticationError)
})

test('payment methods are attached, listed page by page and detached', async () => {
  const customer = await stripe.customers.create({})
  const ids = []
  for (const number of ['4242424242424242', '5555555555554444', '4000000760000002']) {
    const method = await card(number)
    await stripe.paymentMethods.attach(method.id, { customer: customer.id })
    ids.unshift(method.id)
  }
  const found = []
  for await (const method of stripe.customers.listPaymentMethods(customer.id, { limit: 1 })) found.push(method.id)
  assert.deepEqual(found, ids, 'the package follows has_more and starting_after')
  await stripe.paymentMethods.detach(ids[0])
  const left = await stripe.paymentMethods.list({ customer: customer.id, type: 'card' })
  assert.deepEqual(
    left.data.map((row) => row.id),
    ids.slice(1),
  )
  await assert.rejects(card('4242424242424241'), (error) => error.code === 'incorrect_number')
  await assert.rejects(card('4111111111111111'), (error) => error.decline_code === 'test_mode_live_card')
})

test('a card payment is created by the server and confirmed in the browser', async () => {
  const customer = await stripe.customers.create({})
  const method = await card('4242424242424242')
  const created = await stripe.paymentIntents.create({
    amount: 9990,
    currency: 'brl',
    customer: customer.id,
    payment_method: method.id,
    setup_future_usage: 'off_session',
    ...onPage,
    metadata: { paymentId: 'p1' },
  })
  assert.equal(created.status, 'requires_confirmation')
  const confirmed = await browser.paymentIntents.confirm(created.id, { client_secret: created.client_secret })
  assert.equal(confirmed.status, 'succeeded')
  const read = await stripe.paymentIntents.retrieve(created.id, { expand: ['latest_charge', 'payment_method'] })
  assert.deepEqual(
    [read.amount_received, read.latest_charge.paid, read.payment_method.customer],
    [9990, true, customer.id],
  )
  const renewal = await stripe.paymentIntents.create({
    amount: 9990,
    currency: 'brl',
    customer: customer.id,
    payment_method: method.id,
    off_session: true,
    confirm: true,
  })
  assert.equal(renewal.status, 'succeeded')
  const refund = await stripe.refunds.create({ payment_intent: renewal.id })
  assert.deepEqual([refund.status, refund.amount], ['succeeded', 9990])
  const listed = await stripe.paymentIntents.list({ customer: customer.id })
  assert.deepEqual(
    listed.data.map((row) => row.id),
    [renewal.id, created.id],
  )
})

test('a declined card is a StripeCardError that carries the intent, which takes another card', async () => {
  const method = await card('4000000000009995')
  const created = await stripe.paymentIntents.create({
    amount: 100,
    currency: 'brl',
    payment_method: method.id,
    ...onPage,
  })
  const secret = { client_secret: created.client_secret }
  await assert.rejects(browser.paymentIntents.confirm(created.id, secret), (error) => {
    assert.ok(error instanceof Stripe.errors.StripeCardError)
    assert.deepEqual([error.statusCode, error.code, error.decline_code], [402, 'card_declined', 'insufficient_funds'])
    assert.equal(error.payment_intent.status, 'requires_payment_method')
    return true
  })
  const other = await card('5555555555554444')
  const paid = await browser.paymentIntents.confirm(created.id, { ...secret, payment_method: other.id })
  assert.equal(paid.status, 'succeeded')
  const event = await sandbox.next('payment_intent.payment_failed', created.id)
  assert.equal(event.event.data.object.last_payment_error.decline_code, 'insufficient_funds')
})

test('3-D Secure waits for the payer, and a refusal leaves the intent open', async () => {
  for (const [outcome, status] of [
    ['succeeded', 'succeeded'],
    ['failed', 'requires_payment_method'],
  ]) {
    const method = await card('4000002760003184')
    const created = await stripe.paymentIntents.create({
      amount: 100,
      currency: 'brl',
      payment_method: method.id,
      ...onPage,
    })
    const secret = { client_secret: created.client_secret }
    const waiting = await browser.paymentIntents.confirm(created.id, secret)
    assert.deepEqual([waiting.status, waiting.next_action.type], ['requires_action', 'use_stripe_sdk'])
    const path = `/sandbox/v1/test/payment_intents/${created.id}/authenticate`
    const answer = await sandbox.control(path, { ...secret, outcome })
    assert.deepEqual([answer.status, answer.body.status], [200, status])
    const read = await browser.paymentIntents.retrieve(created.id, secret)
    assert.equal(read.status, status)
  }
  const setup = await stripe.setupIntents.create({ payment_method: 'pm_card_visa', confirm: true, ...onPage })
  assert.equal(setup.status, 'succeeded')
})

test('a PIX shows its code and becomes paid when it is settled', async () => {
  const open = await stripe.paymentIntents.create({
    amount: 9990,
    currency: 'brl',
    confirm: true,
    payment_method_types: ['pix'],
    payment_method_data: { type: 'pix', billing_details: { email: 'fill_never@example.com' } },
    payment_method_options: { pix: { expires_after_seconds: 86_400 } },
  })
  const code = open.next_action.pix_display_qr_code
  assert.match(code.data, /^000201.*pix\.example\.com.*6304[0-9A-F]{4}$/)
  assert.equal(code.expires_at, open.created + 86_400)
  const page = await fetch(code.hosted_instructions_url)
  assert.match(await page.text(), /Ambiente de testes/)
  const settled = await sandbox.control(`/sandbox/v1/test/payment_intents/${open.id}/settle`, { outcome: 'succeeded' })
  assert.equal(settled.body.status, 'succeeded')
  await sandbox.next('payment_intent.succeeded', open.id)
})

test('a boleto asks for its fields, shows its line and cannot be cancelled', async () => {
  const boleto = (billing_details) => ({
    amount: 12_345,
    currency: 'brl',
    confirm: true,
    payment_method_types: ['boleto'],
    payment_method_data: { type: 'boleto', boleto: { tax_id: '000.000.000-00' }, billing_details },
    payment_method_options: { boleto: { expires_after_days: 5 } },
  })
  await assert.rejects(
    stripe.paymentIntents.create(boleto({ name: 'Ana Lima' })),
    (error) => error.code === 'parameter_missing',
  )
  const issued = await stripe.paymentIntents.create(
    boleto({ name: 'Ana Lima', email: 'fill_never@example.com', address }),
  )
  const voucher = issued.next_action.boleto_display_details
  assert.match(voucher.number, /^\d{5}\.\d{5} \d{5}\.\d{6} \d{5}\.\d{6} \d \d{14}$/)
  assert.ok(voucher.number.endsWith('0000012345'))
  await assert.rejects(
    stripe.paymentIntents.cancel(issued.id),
    (error) => error.code === 'payment_intent_unexpected_state',
  )
  const expired = await sandbox.control(`/sandbox/v1/test/payment_intents/${issued.id}/settle`, { outcome: 'expired' })
  assert.equal(expired.body.last_payment_error.code, 'payment_intent_payment_attempt_expired')
  assert.equal((await stripe.paymentIntents.cancel(issued.id)).status, 'canceled')
})

test('a repeated key replays the first answer and refuses other parameters', async () => {
  const idempotencyKey = randomUUID()
  const parameters = { amount: 100, currency: 'brl', payment_method: 'pm_card_visa', confirm: true, ...onPage }
  const first = await stripe.paymentIntents.create(parameters, { idempotencyKey })
  const again = await stripe.paymentIntents.create(parameters, { idempotencyKey })
  assert.equal(again.id, first.id)
  assert.equal(again.lastResponse.headers['idempotent-replayed'], 'true')
  assert.equal(first.lastResponse.headers['idempotent-replayed'], undefined)
  assert.notEqual(again.lastResponse.requestId, first.lastResponse.requestId)
  await assert.rejects(stripe.paymentIntents.create({ ...parameters, amount: 200 }, { idempotencyKey }), (error) => {
    assert.ok(error instanceof Stripe.errors.StripeIdempotencyError)
    assert.equal(error.statusCode, 400)
    return true
  })
})

test('webhooks verify with the package itself, and only with the right secret and time', async () => {
  const paid = await stripe.paymentIntents.create({
    amount: 100,
    currency: 'brl',
    payment_method: 'pm_card_visa',
    confirm: true,
    ...onPage,
  })
  const { body, signature } = await sandbox.next('payment_intent.succeeded', paid.id)
  const event = stripe.webhooks.constructEvent(body, signature, WEBHOOK_SECRET)
  assert.deepEqual([event.type, event.data.object.id], ['payment_intent.succeeded', paid.id])
  assert.throws(
    () => stripe.webhooks.constructEvent(body, signature, 'whsec_other'),
    Stripe.errors.StripeSignatureVerificationError,
  )
  const changed = body.toString().replace('"amount": 100', '"amount": 900')
  assert.notEqual(changed, body.toString())
  assert.throws(
    () => stripe.webhooks.constructEvent(changed, signature, WEBHOOK_SECRET),
    Stripe.errors.StripeSignatureVerificationError,
  )
  const listed = await stripe.events.retrieve(event.id)
  assert.deepEqual([listed.type, listed.data.object.id], [event.type, paid.id])
})
