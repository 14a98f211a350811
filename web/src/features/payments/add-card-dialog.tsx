// Saves a card without a payment: the provider makes the payment method, the server keeps it.
import { useCallback, useState } from 'react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ApiError, asApiError } from '../../api/errors'
import { paymentKeys, providersQuery, saveMethod } from '../../api/payments'
import { useUser } from '../../auth/use-session'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import { FailedArea } from '../../ui/data-area'
import { Dialog } from '../../ui/dialog'
import { SkeletonLines } from '../../ui/skeleton'
import { CardFields } from './card-fields'
import { CardRefused, EMPTY_ENTRY, type CardEntry } from './card-gateway'
import { reasonOfProvider } from './reasons'
import { TestRibbon } from './test-ribbon'

export function AddCardDialog({ companyId, onClose }: { companyId: string; onClose: () => void }) {
  const queries = useQueryClient()
  const user = useUser()
  const providers = useQuery(providersQuery())
  const provider = providers.data?.[0]
  const [entry, setEntry] = useState<CardEntry>(EMPTY_ENTRY)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const onEntry = useCallback((next: CardEntry) => setEntry(next), [])

  const save = async () => {
    if (!entry.gateway) return
    setBusy(true)
    setError(null)
    try {
      const id = await entry.gateway.createPaymentMethod({ name: user.userName, email: user.userEmail })
      queries.setQueryData(paymentKeys.methods(companyId), await saveMethod(companyId, id))
      onClose()
    } catch (thrown) {
      setError(thrown instanceof CardRefused ? reasonOfProvider(thrown.code) : asApiError(thrown).sentence)
      setBusy(false)
    }
  }

  return (
    <Dialog
      open
      onClose={onClose}
      busy={busy}
      title="Adicionar cartão"
      footer={
        <>
          <Button variant="secondary" onClick={onClose} disabled={busy}>
            Cancelar
          </Button>
          <Button onClick={() => void save()} disabled={!entry.complete} busy={busy && 'Salvando...'}>
            Salvar cartão
          </Button>
        </>
      }
    >
      {provider ? (
        <div className="grid gap-4">
          {provider.sandbox && <TestRibbon />}
          {error && (
            <Alert tone="danger" role="alert">
              {error}
            </Alert>
          )}
          <CardFields provider={provider} collapsed={false} disabled={busy} onChange={onEntry} />
          <p aria-live="polite" className="min-h-5 text-label text-muted">
            {entry.missing.length > 0 && `Falta preencher: ${entry.missing.join(', ')}`}
          </p>
        </div>
      ) : providers.error || providers.data ? (
        <FailedArea
          title="Sistema de pagamento indisponível"
          error={providers.error ?? new ApiError('PROVIDER_UNAVAILABLE')}
          onRetry={providers.refetch}
          busy={providers.isFetching}
        />
      ) : (
        <SkeletonLines count={4} />
      )}
    </Dialog>
  )
}
