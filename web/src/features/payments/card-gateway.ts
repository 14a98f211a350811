// The one interface to a card provider in the browser, with two files behind it: Stripe's element and the sandbox's own
// fields. Card data stays in those files; the checkout sees payment methods and statuses.
import type { Provider } from '../../api/payments'
import type { Fault } from '../../lib/faults'

export interface CardGateway {
  /** Id of a new payment method; throws ProviderRefusal. */
  createPaymentMethod: (billing: { name: string; email: string }) => Promise<string>
  /** The provider's status after the payer's bank was asked, 3-D Secure included; throws ProviderRefusal. */
  confirmCardPayment: (clientSecret: string) => Promise<string>
  /** The same for a payment that was left before or while its bank was asked, perhaps in another browser. */
  resumeCardPayment: (clientSecret: string) => Promise<string>
  /** The same for a card that is saved without a payment. */
  setUpCard: (clientSecret: string) => Promise<string>
}

export interface CardEntry {
  complete: boolean
  /** Empty when complete. */
  faults: readonly Fault[]
  gateway: CardGateway | null
  /** Something would be lost with the fields. */
  isTyped: boolean
}

export const EMPTY_ENTRY: CardEntry = { complete: false, faults: [], gateway: null, isTyped: false }

export interface CardFieldsProps {
  provider: Provider
  /** A saved card was chosen: no fields, but its confirmation still runs through the gateway. */
  collapsed: boolean
  disabled: boolean
  onChange: (entry: CardEntry) => void
}
