// The payment modal: methods as the provider offers them, card entry or saved card, what a boleto needs, the total, one
// button. Stays busy until the server has answered; then the result dialog opens.
import { useCallback, useRef, useState } from 'react'
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { meQuery } from '../../api/auth'
import { billingProfileQuery } from '../../api/billing-profile'
import { ApiError, asApiError } from '../../api/errors'
import { isIssuedBoleto, methodKind, paymentMethods, type PaymentMethod } from '../../api/payment-methods'
import { providersQuery, savedCardsQuery, type Provider, type SavedCard } from '../../api/payments'
import { subscriptionQuery } from '../../api/subscriptions'
import { useUser } from '../../auth/use-session'
import { faultSentence } from '../../lib/faults'
import { estimateFee, formatMinor } from '../../lib/money'
import { closePaymentDialog, type MissingPreview, type Order } from '../../live/payment-dialog'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import { FailedArea } from '../../ui/data-area'
import { Dialog } from '../../ui/dialog'
import { FailureAlert, useRetrySeconds } from '../../ui/failure-alert'
import { LockIcon } from '../../ui/icons'
import { useCloseGuard } from '../../ui/leave-guard'
import { RadioCards } from '../../ui/radio-cards'
import { useAnnounceFailure } from '../../ui/use-announce-failure'
import { BillingFields, useBilling, type KnownPayer } from './billing-fields'
import { EMPTY_ENTRY, type CardEntry } from './card-gateway'
import { CardFields } from './card-fields'
import { CardChoice, renewalCard, SaveCard, UnreadCards, useCardChoice } from './card-choice'
import { CheckoutAlert } from './checkout-alert'
import { useOverdueCharge } from './default-card'
import { holdEnterOnChoices } from './enter-key'
import { replacedBoleto } from './labels'
import { LoadingPayment } from './loading-payment'
import { firstMethod, isUsable, methodOptions } from './method-choice'
import { OrderSummary } from './order-summary'
import { StaleOrder, useIsStale } from './stale-order'
import { TestRibbon } from './test-ribbon'
import { useCheckout } from './use-checkout'
import { useCloseWithPage } from './use-close-with-page'

const FAILED = 'Sistema de pagamento indisponível'

interface CheckoutProps {
  order: Order
  method: PaymentMethod | undefined
  replace: boolean
  unquoted?: MissingPreview | undefined
}

export default function CheckoutDialog(props: CheckoutProps) {
  const { order } = props
  const saved = useQuery(savedCardsQuery(order.companyId))
  const providers = useQuery(providersQuery())
  const me = useQuery(meQuery())
  const profile = useQuery(billingProfileQuery(order.companyId))
  const provider = providers.data?.[0]
  const title = order.changeType === 'creation' ? `Assinar ${order.planName}` : 'Pagamento Seguro'

  // Without the saved cards and the billing profile everything can still be typed; before they are there for the first
  // time, nothing may jump. One that failed is pending again each time that it is read again.
  const isReady = provider !== undefined && me.data !== undefined && saved.isFetched && profile.isFetched
  useCloseWithPage(isReady)
  const failed =
    providers.error ?? me.error ?? (providers.data && !provider ? new ApiError('PROVIDER_UNAVAILABLE') : null)
  useAnnounceFailure(FAILED, !isReady && Boolean(failed), isReady)
  if (isReady) {
    const known = { document: me.data.userDocument, profile: profile.data ?? null }
    return <Checkout {...props} title={title} provider={provider} known={known} saved={saved} />
  }
  const retry = () => Promise.all([providers.refetch(), me.refetch()])
  return (
    <Dialog
      focusTitle
      onClose={closePaymentDialog}
      title={title}
      width="checkout"
      footer={
        failed && (
          <Button variant="secondary" onClick={closePaymentDialog}>
            Fechar
          </Button>
        )
      }
    >
      {failed ? (
        <FailedArea
          title={FAILED}
          error={asApiError(failed)}
          onRetry={retry}
          busy={providers.isFetching || me.isFetching}
        />
      ) : (
        <LoadingPayment />
      )}
    </Dialog>
  )
}

interface ReadyProps extends CheckoutProps {
  title: string
  provider: Provider
  known: KnownPayer
  saved: UseQueryResult<SavedCard[]>
}

function Checkout({ order, method: preferred, replace, unquoted, title, provider, known, saved }: ReadyProps) {
  const user = useUser()
  const payer = { id: user.id, name: user.userName, email: user.userEmail, document: known.document }
  const checkout = useCheckout(order, payer, replace)
  const [method, setMethod] = useState<PaymentMethod>(() => firstMethod(provider, preferred, order.amount))
  const [entry, setEntry] = useState<CardEntry>(EMPTY_ENTRY)
  const { forgetCard } = checkout
  const onEntry = useCallback(
    (next: CardEntry) => {
      forgetCard()
      setEntry(next)
    },
    [forgetCard],
  )
  const cards = useCardChoice(saved.data, useOverdueCharge(order.companyId) !== null, entry.isTyped)

  const offer = provider.methods.find(({ type }) => type === method)
  const billing = useBilling(offer?.requiredFields ?? [], known, checkout.error?.fields)
  const isCard = methodKind(method) === 'card'
  const { hint, makes } = paymentMethods[method]
  const faults = [...(isCard ? entry.faults : []), ...billing.faults]
  const ready =
    offer !== undefined && isUsable(offer, checkout.total) && (!isCard || entry.complete) && faults.length === 0
  const busy = checkout.busy !== null
  const isStale = useIsStale(order.companyId) && !busy
  const wait = useRetrySeconds(checkout.error?.failure)
  const isTyped = billing.isTyped || (isCard && entry.isTyped)
  const { close, guard } = useCloseGuard(isTyped && !busy && !isStale, closePaymentDialog)
  useCloseWithPage(busy)

  const button = useRef<HTMLButtonElement>(null)
  const submit = () => {
    if (!ready || busy || wait > 0) return
    // The field that Enter was pressed in is disabled meanwhile; the button says what is going on.
    button.current?.focus()
    const savedCard = isCard ? cards.selected : null
    const consent = provider.renewalConsent?.version
    const { value, payerName } = billing
    const { save: saveCard, becomesDefault } = cards
    void checkout.pay(
      { method, savedCard, saveCard, becomesDefault, consent, billing: value, payerName },
      entry.gateway,
    )
  }

  if (isStale) return <StaleOrder />
  return (
    <Dialog
      onClose={close}
      busy={busy}
      title={title}
      width="checkout"
      footer={
        <>
          <Button variant="secondary" onClick={close} disabled={busy}>
            Cancelar
          </Button>
          <Button ref={button} onClick={submit} disabled={!ready || wait > 0} busy={checkout.busy}>
            <span className="grid justify-items-center leading-tight">
              <span>Pagar {formatMinor(checkout.total)}</span>
              {makes && <span className="text-caption font-normal">{makes}</span>}
            </span>
          </Button>
        </>
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys of its choices */}
        <form
          className="grid grid-cols-[minmax(0,1fr)] content-start gap-5"
          onKeyDown={holdEnterOnChoices}
          onSubmit={(event) => {
            event.preventDefault()
            submit()
          }}
        >
          {provider.sandbox && <TestRibbon />}
          {replace && <BoletoStays companyId={order.companyId} />}
          {checkout.error ? (
            <CheckoutAlert error={checkout.error} />
          ) : (
            checkout.error === undefined && <FailureAlert failure={unquoted?.error} title={unquoted?.title} />
          )}
          <RadioCards
            legend="Forma de pagamento"
            options={methodOptions(provider.methods, checkout.total)}
            value={method}
            onChange={setMethod}
            disabled={busy}
          />
          {isCard && (
            <>
              {saved.data ? <CardChoice choice={cards} disabled={busy} /> : <UnreadCards saved={saved} />}
              <CardFields provider={provider} collapsed={cards.selected !== null} disabled={busy} onChange={onEntry} />
              <SaveCard choice={cards} consent={provider.renewalConsent?.sentence} disabled={busy} />
            </>
          )}
          {hint && <p className="text-muted">{hint}</p>}
          <BillingFields billing={billing} disabled={busy} />
          <dl className="grid gap-1">
            <Line label="Nome" value={billing.payerName ?? user.userName} />
            <Line label="Email" value={user.userEmail} />
            {user.userRole === 'admin' && (
              <Line label="Taxa estimada" value={formatMinor(estimateFee(checkout.total))} />
            )}
          </dl>
          <p aria-live="polite" className="min-h-5 text-label text-muted">
            {faultSentence(faults)}
          </p>
          <div className="grid gap-1 text-caption text-muted">
            <p className="flex items-center gap-1.5">
              <LockIcon className="size-3.5 shrink-0" />
              Seus dados são protegidos por criptografia.
            </p>
            <p>Não armazenamos os dados do seu cartão.</p>
          </div>
          <button type="submit" className="sr-only" tabIndex={-1} aria-hidden="true" />
        </form>
        <OrderSummary
          order={order}
          total={checkout.total}
          method={method}
          renewsOn={isCard ? renewalCard(cards) : cards.renewsOn}
          isRefused={cards.defaultCard?.isDeclined}
        />
      </div>
      {guard}
    </Dialog>
  )
}

/** A boleto that another payment takes the place of can still be paid. */
function BoletoStays({ companyId }: { companyId: string }) {
  const { data: subscription } = useQuery(subscriptionQuery(companyId))
  if (!subscription?.payment || !isIssuedBoleto(subscription.payment)) return null
  return <Alert tone="info">{replacedBoleto(subscription.payment)}</Alert>
}

function Line({ label, value }: { label: string; value: string }) {
  return (
    <div className="flex justify-between gap-4 enlarged:flex-wrap enlarged:gap-y-0">
      <dt className="text-muted">{label}</dt>
      <dd className="min-w-0 text-right wrap-anywhere">{value}</dd>
    </div>
  )
}
