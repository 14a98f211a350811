// On another socket the server may be a newer build than this page: offers the reload, never during a payment.
import { useEffect } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { configQuery } from '../api/config'
import { useObservable } from '../lib/observable'
import { isOutdated } from '../lib/outdated'
import { VERSION } from '../lib/version'
import { usePaymentDialog } from '../live/payment-dialog'
import { useWelcomes } from '../live/status'
import { Alert } from '../ui/alert'

export function NewVersionBanner() {
  const welcomes = useWelcomes()
  const paying = usePaymentDialog().kind !== 'closed'
  const queries = useQueryClient()
  const outdated = useObservable(isOutdated)

  useEffect(() => {
    if (welcomes < 2) return
    queries.fetchQuery({ ...configQuery(), staleTime: 0 }).then(
      ({ version }) => isOutdated.set(version !== VERSION),
      () => undefined,
    )
  }, [welcomes, queries])

  return (
    // There before its words: a live region that comes with them may stay unheard.
    <div aria-live="polite">
      {outdated && !paying && (
        <Alert
          tone="info"
          role="none"
          className="rounded-none md:px-6 lg:px-8"
          actions={
            <button type="button" onClick={() => location.reload()}>
              Recarregar
            </button>
          }
        >
          Nova versão disponível
        </Alert>
      )}
    </div>
  )
}
