// @vitest-environment happy-dom
import { act } from '@testing-library/react'
import { describe, expect, test, vi } from 'vitest'
import { emptyCache } from '../../../test/cache'
import {
  card,
  gateway,
  lost,
  mount,
  ok,
  order,
  pay,
  payer,
  payment,
  pix,
  refusal,
  withFakeServer,
} from '../../../test/checkout'
import { paymentKeys } from '../../api/payments'

const own = withFakeServer()

describe('a PIX payment', () => {
  test('sends what is paid for and opens the result', async () => {
    own.server.answers = [ok({ payment: payment() })]
    const result = mount()
    await pay(result, pix)
    expect(own.server.processed()).toHaveLength(1)
    expect(own.server.processed()[0]?.body).toMatchObject({
      amount: 4990,
      currency: 'brl',
      paymentMethod: { type: 'PIX' },
      customer: payer,
      metadata: { companyId: 'c1', planId: 'p1', billingCycle: 'monthly', changeType: 'creation', quoteId: 'q1' },
    })
    expect(result.current.dialog).toMatchObject({ kind: 'result', paymentId: 'pay1' })
  })

  test('asks again with the same key while the answer is lost', async () => {
    own.server.answers = [lost, lost, lost, refusal(409, 'REQUEST_IN_PROGRESS'), ok({ payment: payment() })]
    const result = mount()
    await pay(result, pix)
    expect(own.server.processed()).toHaveLength(5)
    expect(new Set(own.server.processed().map(({ key }) => key)).size).toBe(1)
    expect(result.current.dialog).toMatchObject({ kind: 'result' })
  })

  test('asks nine times at the most, and says meanwhile that it is checking', async () => {
    own.server.answers = [lost]
    const result = mount()
    await act(async () => {
      void result.current.checkout.pay(pix, null)
      await vi.advanceTimersByTimeAsync(100)
    })
    expect(result.current.checkout.busy).toBe('Verificando o pagamento...')
    await act(() => vi.advanceTimersByTimeAsync(120_000))
    expect(own.server.processed()).toHaveLength(9)
    expect(result.current.checkout.busy).toBeNull()
  })

  test('keeps the key when the person asks again after giving up', async () => {
    own.server.answers = [lost]
    const result = mount()
    await pay(result, pix)
    expect(result.current.checkout.error).toMatchObject({
      title: 'Erro ao processar pagamento',
      sentence: 'Erro de conexão. Verifique sua internet',
    })
    own.server.answers = [ok({ payment: payment() })]
    await pay(result, pix)
    expect(new Set(own.server.processed().map(({ key }) => key)).size).toBe(1)
  })

  test('keeps the key through outages and rate limits: a try before them may have begun the payment', async () => {
    const result = mount()
    for (const answers of [
      [lost, refusal(503, 'SERVICE_UNAVAILABLE')],
      [refusal(429, 'RATE_LIMITED')],
      [ok({ payment: payment() })],
    ]) {
      own.server.answers = answers
      await pay(result, pix)
    }
    expect(own.server.processed()).toHaveLength(5)
    expect(new Set(own.server.processed().map(({ key }) => key)).size).toBe(1)
    expect(result.current.dialog).toMatchObject({ kind: 'result' })
  })

  test('puts the expected amount into the total and pays it under a new key', async () => {
    own.server.answers = [refusal(409, 'AMOUNT_MISMATCH', { expected: 5990 }), ok({ payment: payment() })]
    const result = mount()
    await pay(result, pix)
    expect(result.current.checkout.total).toBe(5990)
    expect(result.current.checkout.error?.sentence).toBe('O valor foi atualizado. Confira e confirme novamente')
    expect(result.current.dialog.kind).toBe('closed')
    await pay(result, pix)
    expect(own.server.processed()[1]?.body.amount).toBe(5990)
    expect(own.server.processed()[1]?.key).not.toBe(own.server.processed()[0]?.key)
  })

  test('says that there is nothing to pay when nothing is due', async () => {
    own.server.answers = [refusal(409, 'AMOUNT_MISMATCH', { expected: 0 })]
    const result = mount()
    await pay(result, pix)
    expect(result.current.checkout.total).toBe(order.amount)
    expect(result.current.checkout.error?.sentence).toBe('Não há nada a pagar hoje. Feche e escolha o plano novamente.')
  })

  test('announces the payment that is already under way, and goes on with this one if it is asked to', async () => {
    own.server.answers = [refusal(409, 'PAYMENT_IN_PROGRESS', { paymentId: 'other' })]
    const result = mount()
    await pay(result, pix)
    const { dialog } = result.current
    expect(dialog).toMatchObject({ kind: 'conflict', paymentId: 'other' })
    act(() => {
      if (dialog.kind === 'conflict') dialog.proceed(true)
    })
    expect(result.current.dialog).toMatchObject({ kind: 'checkout', order, method: 'PIX', replace: true })
  })

  test('that was refused asks again what can be paid with', async () => {
    const queries = emptyCache()
    queries.setQueryData(paymentKeys.providers, [])
    own.server.answers = [ok({ payment: payment() }), ok({ payment: payment({ status: 'FAILED', version: 2 }) })]
    const result = mount(queries)
    await pay(result, pix)
    expect(queries.getQueryState(paymentKeys.providers)?.isInvalidated).toBe(false)
    await pay(result, pix)
    expect(queries.getQueryState(paymentKeys.providers)?.isInvalidated).toBe(true)
  })

  test('names the version of the sentence only with a card that is saved', async () => {
    own.server.answers = [refusal(422, 'VALIDATION_ERROR', { renewalConsent: 'INVALID' }), ok({ payment: payment() })]
    const result = mount()
    await pay(
      result,
      { ...card, consent: '2026-11' },
      gateway(async () => 'succeeded'),
    )
    expect(own.server.processed()[0]?.body).toMatchObject({ saveMethod: true, renewalConsent: '2026-11' })
    expect(result.current.checkout.error?.sentence).toBe(
      'O texto da autorização mudou. Leia o novo texto e confirme novamente.',
    )
    await pay(result, { ...pix, consent: '2026-11' })
    expect(own.server.processed()[1]?.body.renewalConsent).toBeUndefined()
  })

  test('gives an outage back to the person after the ordinary repeats', async () => {
    own.server.answers = [refusal(503, 'PROVIDER_UNAVAILABLE')]
    const result = mount()
    await pay(result, pix)
    expect(own.server.processed()).toHaveLength(3)
    expect(result.current.checkout.error?.sentence).toBe('Sistema de pagamento indisponível')
  })
})
