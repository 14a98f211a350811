// @vitest-environment happy-dom
import { act, renderHook } from '@testing-library/react'
import { describe, expect, test, vi } from 'vitest'
import { ApiError, ProviderRefusal } from '../../api/errors'
import { paymentKeys } from '../../api/payments'
import { card, gateway, lost, mount, ok, pay, payment, refusal, withFakeServer } from '../../../test/checkout'
import { useToasts } from '../../ui/toast'
import type { CardGateway } from './card-gateway'

const own = withFakeServer()

describe('a card payment', () => {
  test('is confirmed with the client secret and read at the provider', async () => {
    own.server.answers = [
      ok({ payment: payment({ paymentMethod: 'CREDIT_CARD' }), client_secret: 'pi_1_secret_2' }),
      ok({ payment: payment({ status: 'SUCCESS', version: 2 }) }),
    ]
    const confirm = vi.fn(async () => 'succeeded')
    const result = mount()
    await pay(result, card, gateway(confirm))
    expect(confirm).toHaveBeenCalledWith('pi_1_secret_2')
    expect(own.server.processed()[0]?.body).toMatchObject({
      payment_method: 'pm_1',
      saveMethod: true,
      metadata: { source: 'card_element' },
    })
    expect(own.server.sent.at(-1)?.path).toBe('/api/payments/authenticate/pay1')
    expect(result.current.queries.getQueryData(paymentKeys.one('c1', 'pay1'))).toMatchObject({ status: 'SUCCESS' })
    expect(result.current.dialog).toMatchObject({ kind: 'result', paymentId: 'pay1' })
  })

  test('is read as it is stored while the provider does not answer', async () => {
    own.server.answers = [
      ok({ payment: payment({ paymentMethod: 'CREDIT_CARD' }), client_secret: 'pi_1_secret_2' }),
      refusal(503, 'PROVIDER_UNAVAILABLE'),
      ok({ payment: payment({ version: 2 }) }),
    ]
    const result = mount()
    await pay(
      result,
      card,
      gateway(async () => 'succeeded'),
    )
    expect(own.server.sent.at(-1)?.path).toBe('/api/payments/status/pay1')
    expect(result.current.queries.getQueryData(paymentKeys.one('c1', 'pay1'))).toMatchObject({ version: 2 })
    expect(result.current.dialog).toMatchObject({ kind: 'result', paymentId: 'pay1' })
  })

  test.each(['SUCCESS', 'PROCESSING'] as const)('that is %s is not confirmed', async (status) => {
    own.server.answers = [ok({ payment: payment({ paymentMethod: 'CREDIT_CARD', status }) })]
    const confirm = vi.fn(async () => 'succeeded')
    const result = mount()
    await pay(result, card, gateway(confirm))
    expect(confirm).not.toHaveBeenCalled()
    expect(own.server.sent).toHaveLength(1)
    expect(result.current.dialog).toMatchObject({ kind: 'result', refusal: undefined })
  })

  test('makes the card that it saved the default one where that is asked for', async () => {
    own.server.answers = [
      ok({ payment: payment({ paymentMethod: 'CREDIT_CARD' }), client_secret: 'pi_1_secret_2' }),
      ok({ payment: payment({ status: 'SUCCESS', version: 2 }) }),
      ok({ methods: [{ id: 'pm_0', isDefault: true }, { id: 'pm_1' }] }),
    ]
    const result = mount()
    await pay(
      result,
      { ...card, becomesDefault: true },
      gateway(async () => 'succeeded'),
    )
    expect(own.server.sent.slice(2).map(({ path }) => path)).toEqual([
      '/api/payments/methods/c1',
      '/api/payments/methods/c1/pm_1/default',
    ])
  })

  test('that has not saved its card yet says that the default card has not changed', async () => {
    own.server.answers = [
      ok({ payment: payment({ paymentMethod: 'CREDIT_CARD' }), client_secret: 'pi_1_secret_2' }),
      ok({ payment: payment({ status: 'PROCESSING', version: 2 }) }),
      ok({ methods: [{ id: 'pm_0', isDefault: true }] }),
    ]
    const result = mount()
    await pay(
      result,
      { ...card, becomesDefault: true },
      gateway(async () => 'processing'),
    )
    const { result: said } = renderHook(useToasts)
    expect(said.current.toasts.map(({ text }) => text)).toEqual(['O cartão padrão não mudou'])
  })

  test.each([
    ['at once', [ok({ payment: payment({ paymentMethod: 'CREDIT_CARD', status: 'FAILED' }) })]],
    [
      'at its bank, whose answer was lost',
      [
        ok({ payment: payment({ paymentMethod: 'CREDIT_CARD' }), client_secret: 'pi_1_secret_2' }),
        ok({ payment: payment({ status: 'FAILED', version: 2 }) }),
      ],
    ],
  ])('that failed %s promises no other default card', async (_, answers) => {
    own.server.answers = [...answers]
    const result = mount()
    await pay(
      result,
      { ...card, becomesDefault: true },
      gateway(() => Promise.reject(new ApiError('NETWORK_ERROR'))),
    )
    expect(own.server.sent).toHaveLength(answers.length)
    expect(result.current.dialog).toMatchObject({ kind: 'result', refusal: undefined })
  })

  test.each([
    [
      'the provider refuses',
      () => Promise.reject(new ProviderRefusal('insufficient_funds', 'Your card has insufficient funds.')),
      { code: 'insufficient_funds' },
    ],
    [
      'the provider stops without a verdict',
      async () => 'requires_payment_method',
      { message: 'Payment status: requires_payment_method' },
    ],
  ])('carries the refusal into the result when %s', async (_, confirm, expected) => {
    own.server.answers = [
      ok({ payment: payment({ paymentMethod: 'CREDIT_CARD' }), client_secret: 'pi_1_secret_2' }),
      ok({ payment: payment({ version: 2 }) }),
    ]
    const result = mount()
    await pay(result, card, gateway(confirm))
    expect(result.current.dialog).toMatchObject({ kind: 'result', refusal: expected })
  })

  test('without a client secret is a refusal of its own', async () => {
    own.server.answers = [
      ok({ payment: payment({ paymentMethod: 'CREDIT_CARD' }) }),
      ok({ payment: payment({ version: 2 }) }),
    ]
    const result = mount()
    await pay(
      result,
      card,
      gateway(async () => 'succeeded'),
    )
    expect(result.current.dialog).toMatchObject({ refusal: { message: 'No client secret received' } })
  })

  test.each(['processing', 'requires_action'])('that is %s is no refusal', async (status) => {
    own.server.answers = [
      ok({ payment: payment({ paymentMethod: 'CREDIT_CARD' }), client_secret: 'pi_1_secret_2' }),
      ok({ payment: payment({ status: 'PROCESSING', version: 2 }) }),
    ]
    const result = mount()
    await pay(
      result,
      card,
      gateway(async () => status),
    )
    expect(result.current.dialog).toMatchObject({ kind: 'result', refusal: undefined })
  })

  test('whose answer was lost is asked about with the card that was made, until another one is typed', async () => {
    own.server.answers = [lost]
    const make = vi.fn<CardGateway['createPaymentMethod']>(async () => 'pm_1')
    const by = { ...gateway(async () => 'succeeded'), createPaymentMethod: make }
    const result = mount()
    await pay(result, card, by)
    await pay(result, card, by)
    expect(make).toHaveBeenCalledOnce()
    expect(new Set(own.server.processed().map(({ key }) => key)).size).toBe(1)
    make.mockResolvedValue('pm_2')
    act(() => result.current.checkout.forgetCard())
    await pay(result, card, by)
    expect(own.server.processed().at(-1)?.body.payment_method).toBe('pm_2')
    expect(new Set(own.server.processed().map(({ key }) => key)).size).toBe(2)
  })

  test('refused before anything was sent stays in the form', async () => {
    const result = mount()
    await pay(result, card, {
      createPaymentMethod: () =>
        Promise.reject(new ProviderRefusal('incorrect_number', 'Your card number is incorrect.')),
      confirmCardPayment: async () => '',
      resumeCardPayment: async () => '',
      setUpCard: async () => '',
    })
    expect(own.server.sent).toEqual([])
    expect(result.current.checkout.error).toMatchObject({
      title: 'Pagamento falhou. Tente novamente.',
      sentence: 'O número do cartão está incorreto.',
    })
  })
})
