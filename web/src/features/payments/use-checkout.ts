// Carries one payment from the button to the server's answer: makes the card's payment method, calls `process`,
// confirms the card with the provider, reads the status. Invariant: while an answer is missing, the same request is
// sent with the same idempotency key, so it charges at most once.
import { useCallback, useRef, useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { asApiError, ApiError, ProviderRefusal } from '../../api/errors'
import { writeNewer } from '../../api/newest'
import { methodKind, type PaymentMethod } from '../../api/payment-methods'
import {
  paymentKeys,
  processPayment,
  readAtProvider,
  savedCardsQuery,
  type BillingDetails,
  type Payment,
  type PaymentRequest,
  type SavedCard,
} from '../../api/payments'
import { isVerdict } from '../../api/retries'
import { subscriptionKeys } from '../../api/subscriptions'
import { randomId } from '../../lib/ids'
import { askAboutOpenPayment, openCheckout, showPayment, type CardRefusal, type Order } from '../../live/payment-dialog'
import { attemptFor, type Attempt } from '../../lib/attempt'
import { notifyWarning } from '../../ui/toast'
import type { CardGateway } from './card-gateway'
import { NOT_CHANGED, useMakeDefault } from './default-card'
import { reasonOfProvider } from '../../api/payment-reasons'
import { consentSentence, rereadRefusedConsent } from './renewal-consent'

export interface CheckoutForm {
  method: PaymentMethod
  /** A saved card's id; null: the entry of the card fields. */
  savedCard: string | null
  saveCard: boolean
  /** The card that is saved takes the place of the default one. */
  becomesDefault?: boolean
  /** Version of the sentence beside "Salvar cartão". */
  consent?: string | undefined
  billing?: BillingDetails | undefined
  /** Whom a boleto is made out to, when that is not the person. */
  payerName?: string | undefined
}

interface Payer {
  id: string
  name: string
  email: string
  document?: string | undefined
}

export interface CheckoutError {
  /** The server's refusal; null: the card provider's. */
  failure: ApiError | null
  title?: string
  sentence: string
  /** For "Detalhes": the code, the provider's words, the request id. */
  details: string
  fields: Record<string, string | number>
}

const LATER = 'Quando o pagamento for aprovado, use Tornar padrão em Métodos de pagamento.'

export function useCheckout(order: Order, payer: Payer, replace: boolean) {
  const queries = useQueryClient()
  const attempt = useRef<Attempt | null>(null)
  /** The card that was typed, while it is not known what became of its payment: the same request names the same card. */
  const made = useRef<string | null>(null)
  const forgetCard = useCallback(() => {
    made.current = null
  }, [])
  const [busy, setBusy] = useState<string | null>(null)
  /** Undefined until the payment was refused once; null while another try is on its way. */
  const [error, setError] = useState<CheckoutError | null>()
  const [total, setTotal] = useState(order.amount)
  const makeDefault = useMakeDefault(order.companyId)

  /** The key is kept until the server has judged: the same request asks about the same payment. */
  const send = useCallback(async (request: PaymentRequest) => {
    attempt.current = attemptFor(attempt.current, request, randomId)
    const settle = () => {
      attempt.current = null
      made.current = null
    }
    try {
      const answer = await processPayment(request, attempt.current.key, () => setBusy('Verificando o pagamento...'))
      settle()
      return answer
    } catch (thrown) {
      if (thrown instanceof ApiError && isVerdict(thrown)) settle()
      throw thrown
    }
  }, [])

  const pay = async (form: CheckoutForm, gateway: CardGateway | null) => {
    setError((before) => before && null)
    setBusy('Processando...')
    try {
      const isCard = methodKind(form.method) === 'card'
      const card = isCard ? (form.savedCard ?? (await makeCard(gateway))) : undefined
      const request = requestOf({ ...order, amount: total }, payer, form, replace, card)
      const { payment, client_secret: clientSecret } = await send(request)
      const key = paymentKeys.one(order.companyId, payment.id)
      writeNewer(queries, key, payment)
      const awaitsPayer = isCard && payment.status === 'PENDING'
      const refusal = awaitsPayer ? await confirm(clientSecret, gateway, setBusy) : undefined
      if (awaitsPayer) await readAtProvider(queries, payment)
      // The subscription names its open payment or what was paid; the live event may come later than this answer.
      void queries.invalidateQueries({ queryKey: subscriptionKeys.current(order.companyId) })
      // The provider may have refused the method itself: for a while it is not offered then.
      if (payment.status === 'FAILED') void queries.invalidateQueries({ queryKey: paymentKeys.providers })
      showPayment(order.companyId, payment.id, { order, refusal })
      // A payment that has failed saves no card.
      const failed = refusal !== undefined || queries.getQueryData<Payment>(key)?.status === 'FAILED'
      if (request.saveMethod && form.becomesDefault && !failed) await makeSavedCardDefault(request.payment_method)
    } catch (thrown) {
      refuse(thrown, form.method)
    } finally {
      setBusy(null)
    }
  }

  const makeCard = async (gateway: CardGateway | null) => {
    if (!gateway) throw new ProviderRefusal('other', 'Card element not found')
    made.current ??= await gateway.createPaymentMethod(payer)
    return made.current
  }

  /** The provider saves the card with the success of its payment, which may take its time. */
  const makeSavedCardDefault = async (card: PaymentRequest['payment_method']) => {
    const methods = savedCardsQuery(order.companyId)
    const saved = await queries.fetchQuery({ ...methods, staleTime: 0 }).catch((): SavedCard[] => [])
    const own = saved.find(({ id }) => id === card)
    if (own) makeDefault.mutate(own.id)
    else notifyWarning(NOT_CHANGED, { detail: LATER })
  }

  const refuse = (thrown: unknown, method: PaymentMethod) => {
    if (thrown instanceof ProviderRefusal) {
      setError({
        failure: null,
        title: 'Pagamento falhou. Tente novamente.',
        sentence: reasonOfProvider(thrown.code),
        details: `${thrown.code}: ${thrown.message}`,
        fields: {},
      })
      return
    }
    const refusal = asApiError(thrown)
    const { paymentId, expected } = refusal.fields
    if (refusal.code === 'PAYMENT_IN_PROGRESS' && typeof paymentId === 'string') {
      const proceed = (inItsPlace: boolean) => openCheckout(order, { method, replace: inItsPlace })
      askAboutOpenPayment({ companyId: order.companyId, paymentId, proceed })
      return
    }
    if (refusal.code === 'AMOUNT_MISMATCH' && typeof expected === 'number' && expected > 0) setTotal(expected)
    const details = [refusal.code, refusal.requestId].filter(Boolean).join(' · ')
    const title = refusal.code === 'AMOUNT_MISMATCH' ? undefined : 'Erro ao processar pagamento'
    rereadRefusedConsent(queries, refusal)
    setError({ failure: refusal, title, sentence: sentenceFor(refusal), details, fields: refusal.fields })
  }

  return { pay, busy, error, total, forgetCard }
}

function sentenceFor(refusal: ApiError): string {
  // A boleto is written in Latin letters, and the name is not a field of this form.
  if ('customer.name' in refusal.fields)
    return 'O nome do pagador tem letras que um boleto não aceita. Pague por PIX ou cartão.'
  // The credit covers it, or it is a downgrade, which costs nothing today.
  if (refusal.code === 'AMOUNT_MISMATCH' && refusal.fields.expected === 0)
    return 'Não há nada a pagar hoje. Feche e escolha o plano novamente.'
  return consentSentence(refusal) ?? refusal.sentence
}

function requestOf(
  order: Order,
  payer: Payer,
  form: CheckoutForm,
  replace: boolean,
  card: string | undefined,
): PaymentRequest {
  const saves = card !== undefined && !form.savedCard && form.saveCard
  return {
    amount: order.amount,
    currency: 'brl',
    ...(card ? { payment_method: card } : { paymentMethod: { type: form.method } }),
    customer: { ...payer, name: form.payerName ?? payer.name, document: payer.document || undefined },
    saveMethod: saves || undefined,
    renewalConsent: saves ? form.consent : undefined,
    replace: replace || undefined,
    billing: form.billing,
    metadata: {
      companyId: order.companyId,
      planId: order.planId,
      billingCycle: order.billingCycle,
      changeType: order.changeType,
      quoteId: order.quoteId,
      source: card && 'card_element',
    },
  }
}

/**
 * Only `succeeded` is success; `processing` and an unanswered bank are no failure. A refusal is returned, not thrown.
 */
async function confirm(
  clientSecret: string | null | undefined,
  gateway: CardGateway | null,
  say: (text: string) => void,
): Promise<CardRefusal | undefined> {
  if (!clientSecret || !gateway)
    return { code: 'other', message: clientSecret ? 'Card element not found' : 'No client secret received' }
  say('Aguardando autenticação do banco...')
  try {
    const status = await gateway.confirmCardPayment(clientSecret)
    const going = status === 'succeeded' || status === 'processing' || status === 'requires_action'
    return going ? undefined : { code: 'other', message: `Payment status: ${status}` }
  } catch (thrown) {
    if (thrown instanceof ProviderRefusal) return { code: thrown.code, message: thrown.message }
    // The answer of the provider was lost: the server reads it there, and the result dialog waits for it.
    return undefined
  }
}
