// Saves a card without a payment: the provider makes the payment method, the server keeps it. Where the bank asks for
// the holder, the provider asks here, and the card is saved when the bank has agreed.
import { useCallback, useId, useRef, useState, type SubmitEvent } from 'react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ApiError, asApiError, ProviderRefusal } from '../../api/errors'
import { write } from '../../api/newest'
import { paymentKeys, providersQuery, savedCardsQuery, saveCard } from '../../api/payments'
import { useUser } from '../../auth/use-session'
import { faultSentence } from '../../lib/faults'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import { FailedArea } from '../../ui/data-area'
import { Dialog } from '../../ui/dialog'
import { FailureAlert, useRetrySeconds } from '../../ui/failure-alert'
import { useCloseGuard } from '../../ui/leave-guard'
import { SkeletonLines } from '../../ui/skeleton'
import { useAnnounceFailure } from '../../ui/use-announce-failure'
import { useIntoSight } from '../../ui/use-into-sight'
import { CardFields } from './card-fields'
import { EMPTY_ENTRY, type CardEntry, type CardGateway } from './card-gateway'
import { DefaultCardCheckbox, useOverdueCharge } from './default-card'
import { holdEnterOnChoices } from './enter-key'
import { reasonOfProvider } from '../../api/payment-reasons'
import { consentSentence, rereadRefusedConsent } from './renewal-consent'
import { TestRibbon } from './test-ribbon'

const SAVING = 'Salvando...'
const FAILED = 'Sistema de pagamento indisponível'
/** The bank has declined it, the provider does not keep it, or too many were declined before. */
const NOT_TAKEN = 'O cartão não foi aceito. Confira os dados, tente outro cartão ou tente mais tarde.'

interface AddCardDialogProps {
  companyId: string
  makeDefault: (methodId: string) => void
  onClose: () => void
}

export function AddCardDialog({ companyId, makeDefault, onClose }: AddCardDialogProps) {
  const id = useId()
  const queries = useQueryClient()
  const user = useUser()
  const providers = useQuery(providersQuery())
  const provider = providers.data?.[0]
  useAnnounceFailure(FAILED, !provider && !providers.isPending, provider !== undefined)
  const [entry, setEntry] = useState<CardEntry>(EMPTY_ENTRY)
  const [step, setStep] = useState(SAVING)
  const saved = useQuery(savedCardsQuery(companyId))
  const defaultCard = saved.data?.find(({ isDefault }) => isDefault)
  const charge = useOverdueCharge(companyId)
  const [wish, setWish] = useState<boolean | null>(null)
  // Whoever adds a card while the renewal is unpaid, or its card was refused, most likely wants it paid.
  const becomesDefault = wish ?? (charge !== null || defaultCard?.isDeclined === true)
  /** The card of these fields, while it is not known whether it was saved: it is asked about, not saved twice. */
  const made = useRef<string | null>(null)
  const save = useMutation({
    mutationFn: async ({ gateway }: { gateway: CardGateway; becomesDefault: boolean }) => {
      setStep(SAVING)
      const id = made.current ?? (await gateway.createPaymentMethod({ name: user.userName, email: user.userEmail }))
      made.current = id
      const renewalConsent = provider?.renewalConsent?.version
      const { methods, setup } = await saveCard(companyId, { paymentMethodId: id, renewalConsent })
      if (!setup) return { id, methods }
      setStep('Aguardando autenticação do banco...')
      const { status, lost } = await asked(gateway, setup.clientSecret)
      const known = await queries.fetchQuery({ ...savedCardsQuery(companyId), staleTime: 0 })
      if (known.some((method) => method.id === id)) return { id, methods: known }
      throw lost ?? new ProviderRefusal('authentication_required', `Setup status: ${status}`)
    },
    onSuccess: ({ id, methods }, { becomesDefault }) => {
      write(queries, paymentKeys.methods(companyId), methods)
      if (becomesDefault && methods.some((method) => method.id === id && !method.isDefault)) makeDefault(id)
      onClose()
    },
    onError: (error) => {
      if (!(error instanceof ApiError && error.isUncertain)) made.current = null
      rereadRefusedConsent(queries, asApiError(error))
    },
  })
  const busy = save.isPending
  const refusal = save.error instanceof ProviderRefusal ? save.error : null
  const failure = save.error && !refusal ? asApiError(save.error) : null
  const wait = useRetrySeconds(failure)
  const notTaken = failure?.code === 'PAYMENT_METHOD_UNAVAILABLE' ? NOT_TAKEN : undefined
  const refused = refusal ? reasonOfProvider(refusal.code) : (notTaken ?? (failure && consentSentence(failure)))
  const place = useIntoSight<HTMLDivElement>(save.error)
  const { close, guard } = useCloseGuard(entry.isTyped && !busy, onClose)
  const isReady = entry.complete && wait === 0
  const button = useRef<HTMLButtonElement>(null)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!isReady || busy || !entry.gateway) return
    // The field that Enter was pressed in is disabled meanwhile; the button says what is going on.
    button.current?.focus()
    save.mutate({ gateway: entry.gateway, becomesDefault })
  }
  const onChange = useCallback((next: CardEntry) => {
    made.current = null
    setEntry(next)
  }, [])

  return (
    <Dialog
      onClose={close}
      busy={busy}
      title="Adicionar cartão"
      footer={
        <>
          <Button variant="secondary" onClick={close} disabled={busy}>
            Cancelar
          </Button>
          <Button ref={button} type="submit" form={id} disabled={!isReady} busy={busy && step}>
            Salvar cartão
          </Button>
        </>
      }
    >
      {provider ? (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the key of its choice
        <form id={id} noValidate onSubmit={submit} onKeyDown={holdEnterOnChoices} className="grid gap-4">
          {provider.sandbox && <TestRibbon />}
          <div ref={place} className="empty:hidden">
            {refused ? (
              <Alert tone="danger" role="alert">
                {refused}
              </Alert>
            ) : (
              <FailureAlert failure={failure} />
            )}
          </div>
          <CardFields provider={provider} collapsed={false} disabled={busy} onChange={onChange} />
          {provider.renewalConsent && <p className="text-pretty text-muted">{provider.renewalConsent.sentence}</p>}
          {/* The first card becomes the default one by itself. */}
          {saved.data?.length === 0 && charge && <p className="text-pretty">{charge}</p>}
          {defaultCard && (
            <DefaultCardCheckbox
              defaultCard={defaultCard}
              charge={charge}
              checked={becomesDefault}
              onChange={setWish}
              disabled={busy}
            />
          )}
          <p aria-live="polite" className="min-h-5 text-label text-muted">
            {faultSentence(entry.faults)}
          </p>
        </form>
      ) : providers.error || providers.data ? (
        <FailedArea
          title={FAILED}
          error={providers.error ?? new ApiError('PROVIDER_UNAVAILABLE')}
          onRetry={providers.refetch}
          busy={providers.isFetching}
        />
      ) : (
        <SkeletonLines count={4} />
      )}
      {guard}
    </Dialog>
  )
}

/** What the bank says; an answer that was lost is no refusal. */
async function asked(gateway: CardGateway, clientSecret: string): Promise<{ status?: string; lost?: unknown }> {
  try {
    return { status: await gateway.setUpCard(clientSecret) }
  } catch (thrown) {
    if (thrown instanceof ProviderRefusal) throw thrown
    return { lost: thrown }
  }
}
