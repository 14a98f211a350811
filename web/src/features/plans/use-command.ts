// A command on the subscription that moves no money. Its answer goes into the cache, its refusal to the caller.
import { useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { asApiError, type ApiError } from '../../api/errors'
import { writeNewer } from '../../api/newest'
import { rereadSubscription, subscriptionKeys, type Subscription } from '../../api/subscriptions'
import { useIsMounted } from '../../ui/use-is-mounted'

export interface ChangeFailure {
  title: string
  error: ApiError
}

/** The title of a refused step. A refusal about a payment is a payment error, whichever step met it. */
export function titleOf({ code }: Pick<ApiError, 'code'>, title: string): string {
  return /payment/i.test(code) ? 'Erro ao processar pagamento' : title
}

interface Outcomes {
  onDone?: (next: Subscription) => void
  /** The server wants a payment first: leads to it, and no failure is shown. */
  onUnpaid?: () => void
  /** Tells the failure where the page that would show it was left. */
  onFailedAway?: (failure: ChangeFailure) => void
}

export interface Command {
  /** `title`: the sentence of the command's failure. */
  run: (title: string, call: () => Promise<Subscription>, outcomes?: Outcomes) => void
  busy: boolean
  failure: ChangeFailure | null
  dismiss: () => void
}

export function useCommand(companyId: string): Command {
  const queries = useQueryClient()
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<ChangeFailure | null>(null)
  const isMounted = useIsMounted()
  const run: Command['run'] = async (title, call, { onDone, onUnpaid, onFailedAway } = {}) => {
    setBusy(true)
    setFailure(null)
    try {
      const next = await call()
      writeNewer(queries, subscriptionKeys.current(companyId), next)
      onDone?.(next)
    } catch (thrown) {
      const error = asApiError(thrown)
      const failed = { title: titleOf(error, title), error }
      if (!isMounted.current) onFailedAway?.(failed)
      else if (error.code === 'PAYMENT_REQUIRED' && onUnpaid) onUnpaid()
      else setFailure(failed)
    } finally {
      setBusy(false)
      rereadSubscription(queries, companyId)
    }
  }
  return { run, busy, failure, dismiss: () => setFailure(null) }
}
