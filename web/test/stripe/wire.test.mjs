// What an integration leans on beside its payments, driven by the official `stripe` package and, where the package does
// not let a mistake out, by plain HTTP: published tokens, rules of parameters, versions, keys, lists, deletion.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { Stripe } from 'stripe'
import { PUBLISHABLE_KEY, SECRET_KEY, startEndpoint, startSandbox } from './sandbox.mjs'

let sandbox
let stripe

before(async () => {
  sandbox = await startSandbox()
  const { hostname: host, port } = sandbox.address
  stripe = new Stripe(SECRET_KEY, { host, port, protocol: 'http', maxNetworkRetries: 0, telemetry: false })
})

after(() => sandbox?.stop())

const onPage = { automatic_payment_methods: { enabled: true, allow_redirects: 'never' } }
const refused = (call, wanted) =>
  assert.rejects(call, (error) => {
    const { statusCode: status, code, param } = error
    assert.deepEqual(
      { status, code, param },
      { status: 400, code: undefined, param: undefined, ...wanted },
      error.message,
    )
    return true
  })

/** A call as it stands on the wire. */
async function raw(path, { body, headers = {} } = {}) {
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const init = body === undefined ? { headers } : { method: 'POST', body, headers: { ...form, ...headers } }
  const response = await fetch(`${sandbox.origin}/v1${path}`, init)
  return { status: response.status, headers: response.headers, ...(await response.json()) }
}
const authorization = `Bearer ${SECRET_KEY}`

test('published test cards go by their tokens', async () => {
  for (const [name, code, reason] of [
    ['visa_chargeDeclined', 'card_declined', 'generic_decline'],
    ['visa_chargeDeclinedInsufficientFunds', 'card_declined', 'insufficient_funds'],
    ['visa_chargeDeclinedLostCard', 'card_declined', 'lost_card'],
    ['visa_chargeDeclinedStolenCard', 'card_declined', 'stolen_card'],
    ['chargeDeclinedExpiredCard', 'expired_card', 'expired_card'],
    ['chargeDeclinedIncorrectCvc', 'incorrect_cvc', 'incorrect_cvc'],
    ['chargeDeclinedProcessingError', 'processing_error', 'processing_error'],
  ]) {
    const payment = { amount: 100, currency: 'brl', confirm: true, payment_method: `pm_card_${name}`, ...onPage }
    await assert.rejects(stripe.paymentIntents.create(payment), (error) => {
      assert.deepEqual([error.code, error.decline_code], [code, reason], name)
      return true
    })
  }
  const method = await stripe.paymentMethods.create({ type: 'card', card: { token: 'tok_visa' } })
  assert.deepEqual([method.card.brand, method.card.last4], ['visa', '4242'])
  const declined = await stripe.paymentMethods.create({ type: 'card', card: { token: 'tok_visa_chargeDeclined' } })
  assert.equal(declined.card.last4, '0002')
  await refused(stripe.paymentMethods.create({ type: 'card', card: { token: 'tok_nobody' } }), {
    code: 'resource_missing',
    param: 'card[token]',
  })
})

test('a browser may send its key as a parameter, beside what Stripe.js tells of itself', async () => {
  const card = 'type=card&card[token]=tok_visa'
  const notes = 'guid=g&muid=m&sid=s&payment_user_agent=stripe.js&time_on_page=17&client_attribution_metadata[a]=b'
  const made = await raw('/payment_methods', { body: `${card}&${notes}&key=${PUBLISHABLE_KEY}` })
  assert.deepEqual([made.status, made.object], [200, 'payment_method'])
  const noKey = await raw('/payment_methods', { body: card })
  const secret = await raw('/payment_methods', { body: `${card}&key=${SECRET_KEY}` })
  assert.deepEqual([noKey.status, secret.status], [401, 401])
})

test('automatic methods and return addresses follow the rules', async () => {
  const intent = { amount: 100, currency: 'brl', payment_method: 'pm_card_visa' }
  await refused(stripe.paymentIntents.create({ ...intent, confirm: true }), { param: 'return_url' })
  const both = { automatic_payment_methods: { enabled: true }, payment_method_types: ['card'] }
  await refused(stripe.paymentIntents.create({ ...intent, ...both }), { code: 'parameters_exclusive' })
  const back = { return_url: 'https://example.com/back' }
  await refused(stripe.paymentIntents.create({ ...intent, ...back }), {})
  const paid = await stripe.paymentIntents.create({ ...intent, ...back, confirm: true })
  assert.deepEqual([paid.status, paid.automatic_payment_methods.allow_redirects], ['succeeded', 'always'])
  const open = await stripe.paymentIntents.create(intent)
  await refused(stripe.paymentIntents.confirm(open.id), { param: 'return_url' })
  const onSite = await stripe.paymentIntents.create({ ...intent, ...onPage, confirm: true })
  assert.deepEqual([onSite.status, onSite.automatic_payment_methods.allow_redirects], ['succeeded', 'never'])
  await refused(stripe.setupIntents.create({ payment_method: 'pm_card_visa', confirm: true }), { param: 'return_url' })
})

test('PIX and boleto take reais only', async () => {
  for (const kind of ['pix', 'boleto']) {
    const payment = { amount: 1000, currency: 'usd', payment_method_types: [kind] }
    await refused(stripe.paymentIntents.create(payment), { param: 'currency' })
  }
  const dollars = await stripe.paymentIntents.create({ amount: 1000, currency: 'usd' })
  assert.deepEqual(dollars.payment_method_types, ['card'])
})

test('a parameter that nobody knows is refused at every depth', async () => {
  const card = { type: 'card', card: { token: 'tok_visa', nmber: '1' } }
  await refused(stripe.paymentMethods.create(card), { code: 'parameter_unknown', param: 'card[nmber]' })
  await refused(stripe.customers.create({ address: { town: 'x' } }), {
    code: 'parameter_unknown',
    param: 'address[town]',
  })
  const bytes = await raw('/customers', { body: 'name=%FF', headers: { authorization } })
  assert.equal(bytes.status, 400)
})

test('the version is echoed, and one that cannot be is refused', async () => {
  const path = '/customers'
  for (const version of ['2023-10-16', '2025-08-27.basil']) {
    const answer = await raw(path, { headers: { authorization, 'stripe-version': version } })
    assert.deepEqual([answer.status, answer.headers.get('stripe-version')], [200, version])
  }
  for (const version of ['latest', '2023-13-40', '2025-08-27.']) {
    const answer = await raw(path, { headers: { authorization, 'stripe-version': version } })
    assert.deepEqual([answer.status, answer.error?.type], [400, 'invalid_request_error'])
  }
})

test('a key is echoed, and a request that is under way refuses its twin', async () => {
  const key = randomUUID()
  await sandbox.control('/sandbox/v1/test/faults', { replies: { delayMs: 1500, times: 1 } })
  const headers = { authorization, 'idempotency-key': key }
  const call = () => raw('/customers', { body: 'name=Ana', headers })
  const [one, other] = await Promise.all([call(), call()])
  const [done, twin] = one.status === 200 ? [one, other] : [other, one]
  assert.deepEqual([done.status, done.headers.get('idempotency-key')], [200, key])
  assert.deepEqual(
    [twin.status, twin.error.code, twin.error.type],
    [409, 'idempotency_key_in_use', 'idempotency_error'],
  )
  assert.match(twin.error.request_log_url, /\/req_[A-Za-z0-9]+$/)
  assert.ok(twin.error.request_log_url.endsWith(twin.headers.get('request-id')))
})

test('customers keep their languages and can be deleted with their cards', async () => {
  const customer = await stripe.customers.create({ preferred_locales: ['pt-BR', 'en'] })
  assert.deepEqual(customer.preferred_locales, ['pt-BR', 'en'])
  const method = await stripe.paymentMethods.create({ type: 'card', card: { token: 'tok_visa' } })
  await stripe.paymentMethods.attach(method.id, { customer: customer.id })
  const changed = await stripe.paymentMethods.update(method.id, {
    billing_details: { name: 'Ana Lima' },
    card: { exp_month: 3, exp_year: 2041 },
    metadata: { a: 'b' },
  })
  const { billing_details: bills, card, metadata } = changed
  assert.deepEqual([bills.name, card.exp_month, card.exp_year, metadata], ['Ana Lima', 3, 2041, { a: 'b' }])
  await stripe.customers.update(customer.id, { invoice_settings: { default_payment_method: method.id } })
  const full = await stripe.customers.retrieve(customer.id, { expand: ['invoice_settings.default_payment_method'] })
  assert.equal(full.invoice_settings.default_payment_method.card.last4, '4242')
  assert.deepEqual(await stripe.customers.del(customer.id).then(({ id, deleted }) => [id, deleted]), [
    customer.id,
    true,
  ])
  assert.equal((await stripe.customers.retrieve(customer.id)).deleted, true)
  assert.equal((await stripe.paymentMethods.retrieve(method.id)).customer, null)
  await assert.rejects(stripe.customers.update(customer.id, { name: 'x' }), (error) => error.statusCode === 404)
  const listed = await stripe.customers.list({ limit: 100 })
  assert.ok(!listed.data.some(({ id }) => id === customer.id))
})

test('charges, refunds and setup intents are listed, expanded and changed', async () => {
  const customer = await stripe.customers.create({})
  const payment = {
    amount: 500,
    currency: 'brl',
    customer: customer.id,
    payment_method: 'pm_card_visa',
    confirm: true,
    ...onPage,
  }
  const paid = await stripe.paymentIntents.create(payment)
  const charges = await stripe.charges.list({ customer: customer.id, expand: ['data.payment_intent', 'data.customer'] })
  const [charge] = charges.data
  assert.deepEqual([charges.data.length, charge.payment_intent.id, charge.customer.id], [1, paid.id, customer.id])
  assert.equal((await stripe.charges.retrieve(charge.id)).id, paid.latest_charge)
  const refund = await stripe.refunds.create({ charge: charge.id })
  const noted = await stripe.refunds.update(refund.id, { metadata: { why: 'test' } })
  assert.deepEqual(noted.metadata, { why: 'test' })
  const setup = await stripe.setupIntents.create({ customer: customer.id })
  const setups = await stripe.setupIntents.list({ customer: customer.id })
  assert.deepEqual(
    setups.data.map(({ id }) => id),
    [setup.id],
  )
  const intents = await stripe.paymentIntents.list({ customer: customer.id, expand: ['data.latest_charge'] })
  assert.equal(intents.data[0].latest_charge.id, charge.id)
})

test('an endpoint of its own gets what it asked for, signed with its own secret', async (t) => {
  const endpoint = await startEndpoint()
  t.after(() => endpoint.close())
  const made = await stripe.webhookEndpoints.create({ url: endpoint.url, enabled_events: ['customer.created'] })
  assert.match(made.secret, /^whsec_\w{32}$/)
  const customer = await stripe.customers.create({})
  const { body, signature } = await endpoint.next('customer.created', customer.id)
  assert.equal(stripe.webhooks.constructEvent(body, signature, made.secret).data.object.id, customer.id)
  const off = await stripe.webhookEndpoints.update(made.id, { disabled: true })
  assert.deepEqual([off.status, off.secret], ['disabled', undefined])
  const listed = await stripe.webhookEndpoints.list()
  assert.deepEqual(
    listed.data.map(({ id, url }) => [id, url]),
    [[made.id, endpoint.url]],
  )
  assert.equal((await stripe.webhookEndpoints.del(made.id)).deleted, true)
  await refused(stripe.webhookEndpoints.create({ url: 'http://192.0.2.1/', enabled_events: ['*'] }), {
    code: 'url_invalid',
    param: 'url',
  })
})

test('an address that the sandbox does not have is no id', async () => {
  const query = "email:'a'"
  for (const call of [
    () => stripe.customers.search({ query }),
    () => stripe.charges.search({ query }),
    () => stripe.balance.retrieve(),
  ]) {
    await assert.rejects(call(), (error) => {
      assert.match(error.message, /^Unrecognized request URL \(GET: /)
      assert.deepEqual([error.statusCode, error.type], [404, 'StripeInvalidRequestError'])
      return true
    })
  }
})
