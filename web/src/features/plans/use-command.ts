// A command on the subscription that moves no money. Its answer goes into the cache, its refusal to the caller.
import { useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { asApiError, type ApiError } from '../../api/errors'
import { subscriptionKeys, type Subscription } from '../../api/subscriptions'
import { writeNewer } from '../../live/patch-cache'

export interface ChangeFailure {
  title: string
  error: ApiError
}

/**
 * The title of a refused step of a subscription. A refusal about a payment is a payment error, whichever step met it.
 */
export function titleOf({ code, message }: Pick<ApiError, 'code' | 'message'>, title: string): string {
  return /payment/i.test(`${code} ${message}`) ? 'Erro ao processar pagamento' : title
}

export interface Command {
  /** `onUnpaid`: money is needed after all, and this is the way to it. */
  run: (title: string, call: () => Promise<Subscription>, options?: { onUnpaid?: () => void }) => void
  busy: boolean
  failure: ChangeFailure | null
  dismiss: () => void
}

export function useCommand(companyId: string): Command {
  const queries = useQueryClient()
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<ChangeFailure | null>(null)
  const refused = (title: string, error: ApiError, onUnpaid: (() => void) | undefined) => {
    if (error.code === 'PAYMENT_REQUIRED' && onUnpaid) onUnpaid()
    else setFailure({ title: titleOf(error, title), error })
    void queries.invalidateQueries({ queryKey: subscriptionKeys.current(companyId) })
  }
  const run: Command['run'] = (title, call, { onUnpaid } = {}) => {
    setBusy(true)
    setFailure(null)
    call()
      .then((next) => writeNewer(queries, subscriptionKeys.current(companyId), next))
      .catch((thrown: unknown) => refused(title, asApiError(thrown), onUnpaid))
      .finally(() => setBusy(false))
  }
  return { run, busy, failure, dismiss: () => setFailure(null) }
}
