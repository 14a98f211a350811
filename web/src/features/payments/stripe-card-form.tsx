// Card entry of the live provider: Stripe's own element in Stripe's own frame. Card data never touches this page, its
// memory or our server. Loaded only when the payment dialog opens with real keys.
import { useEffect, useMemo, useState } from 'react'
import { CardElement, Elements, useElements, useStripe } from '@stripe/react-stripe-js'
import {
  loadStripe,
  type PaymentIntent,
  type SetupIntent,
  type Stripe,
  type StripeElements,
  type StripeError,
} from '@stripe/stripe-js'
import { ApiError, ProviderRefusal } from '../../api/errors'
import { announce } from '../../ui/announcer'
import { cx } from '../../ui/cx'
import { FieldError } from '../../ui/field'
import type { CardFieldsProps, CardGateway } from './card-gateway'

export default function StripeCardForm(props: CardFieldsProps) {
  const { publishableKey } = props.provider
  const stripe = useMemo(() => loadStripe(publishableKey, { locale: 'pt-BR' }), [publishableKey])
  const [failure, setFailure] = useState<unknown>(null)
  useEffect(() => void stripe.catch(setFailure), [stripe])
  // Stripe.js could not be loaded: the caller says so and offers another try.
  if (failure) throw failure
  return (
    <Elements stripe={stripe} options={{ locale: 'pt-BR' }}>
      <Fields {...props} />
    </Elements>
  )
}

interface Typed {
  complete: boolean
  empty: boolean
  error?: string | undefined
}

const NOTHING: Typed = { complete: false, empty: true }
const LABEL = 'Dados do cartão'

const frame = cx(
  'rounded-control border border-control bg-paper px-3 py-2.5 has-[.StripeElement--invalid]:border-danger',
  'outline-focus has-[.StripeElement--focus]:outline-2',
)

/** What Stripe's frame has in it is not seen here: it says by classes whether it has the focus or an error. */
function Fields({ collapsed, disabled, onChange }: CardFieldsProps) {
  const stripe = useStripe()
  const elements = useElements()
  const [typed, setTyped] = useState(NOTHING)
  const gateway = useMemo(() => (stripe && elements ? makeGateway(stripe, elements) : null), [stripe, elements])
  useFocusAtBank()
  // The element goes, with what is in it, when a saved card is chosen, and comes back empty.
  if (collapsed && typed !== NOTHING) setTyped(NOTHING)
  const isTyped = !typed.empty
  const complete = gateway !== null && (collapsed || (typed.complete && !typed.error))
  // Whatever is typed is another entry: one complete card may have taken the place of another.
  useEffect(() => {
    // Half of a number is no error yet.
    const faults = complete || collapsed ? [] : [{ label: LABEL, isEmpty: typed.error === undefined }]
    onChange({ complete, faults, gateway, isTyped })
  }, [complete, collapsed, typed, gateway, isTyped, onChange])
  useEffect(() => {
    if (typed.error) announce(typed.error)
  }, [typed.error])
  if (collapsed) return null
  return (
    <fieldset className="grid min-w-0 gap-1.5">
      <legend className="mb-1.5 text-label font-medium">{LABEL}</legend>
      <div className={frame}>
        <CardElement
          options={{ hidePostalCode: true, disabled, style: { base: { fontSize: '16px' } } }}
          onChange={(event) => setTyped({ complete: event.complete, empty: event.empty, error: event.error?.message })}
        />
      </div>
      {typed.error && <FieldError>{typed.error}</FieldError>}
    </fieldset>
  )
}

const BANK_PAGE = ['body > iframe', 'body > div > iframe']
  .map((frame) => `${frame}[name^="__privateStripeFrame"]`)
  .join(', ')

/** The page of the payer's bank stands beside the dialog, which would take the focus back from it. */
function useFocusAtBank() {
  useEffect(() => {
    const letGo = (event: FocusEvent) => {
      const next = event.type === 'focusin' ? event.target : event.relatedTarget
      if (next instanceof Element && next.matches(BANK_PAGE)) event.stopPropagation()
    }
    // The dialog listens at the document, which comes after.
    const root = document.documentElement
    root.addEventListener('focusin', letGo)
    root.addEventListener('focusout', letGo)
    return () => {
      root.removeEventListener('focusin', letGo)
      root.removeEventListener('focusout', letGo)
    }
  }, [])
}

function makeGateway(stripe: Stripe, elements: StripeElements): CardGateway {
  const confirmed = async (clientSecret: string) => statusOf(await stripe.confirmCardPayment(clientSecret))
  return {
    // The payer has more fields than Stripe knows; it refuses a call with one that it does not know.
    createPaymentMethod: async ({ name, email }) => {
      const card = elements.getElement(CardElement)
      if (!card) throw new ProviderRefusal('other', 'Card element not found')
      const { paymentMethod, error } = await stripe.createPaymentMethod({
        type: 'card',
        card,
        billing_details: { name, email },
      })
      if (error) throw refusalOf(error)
      return paymentMethod.id
    },
    confirmCardPayment: confirmed,
    resumeCardPayment: async (clientSecret) => {
      const status = statusOf(await stripe.retrievePaymentIntent(clientSecret))
      if (status === 'requires_confirmation') return confirmed(clientSecret)
      return status === 'requires_action' ? statusOf(await stripe.handleNextAction({ clientSecret })) : status
    },
    setUpCard: async (clientSecret) => {
      const status = statusOf(await stripe.retrieveSetupIntent(clientSecret))
      return status === 'requires_action' ? statusOf(await stripe.handleNextAction({ clientSecret })) : status
    },
  }
}

interface Outcome {
  paymentIntent?: PaymentIntent
  setupIntent?: SetupIntent
  error?: StripeError
}

function statusOf({ paymentIntent, setupIntent, error }: Outcome): string {
  const refused = error ?? (setupIntent?.status === 'requires_payment_method' && setupIntent.last_setup_error)
  if (refused) throw refusalOf(refused)
  return (paymentIntent ?? setupIntent)?.status ?? 'processing'
}

/** Stripe.js reports a lost connection and Stripe's own faults like refusals, but no bank has said anything then. */
function refusalOf(error: StripeError | SetupIntent.LastSetupError): Error {
  if (error.type === 'api_connection_error') return new ApiError('NETWORK_ERROR')
  if (error.type === 'api_error' || error.type === 'rate_limit_error')
    return new ApiError('PROVIDER_UNAVAILABLE', { status: 503 })
  return ProviderRefusal.of(error)
}
