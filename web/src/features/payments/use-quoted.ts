// What an order is made of, asked again when this page does not know it, or not any more: after a reload only the
// payment is left, and the period of a quote that has run out may be another one by now. Used before a payment is tried
// again. Without an answer the order goes on as it is: the server holds the price anyway.
import { useState } from 'react'
import { previewChange } from '../../api/subscriptions'
import { randomId } from '../../lib/ids'
import { orderOf, type Order } from '../../live/payment-dialog'
import { isAhead } from '../../live/subscription-state'
import { useIsMounted } from '../../ui/use-is-mounted'

export function useQuoted(): { ask: (order: Order, then: (quoted: Order) => void) => Promise<void>; busy: boolean } {
  const [busy, setBusy] = useState(false)
  const isMounted = useIsMounted()
  /** Whoever closes the dialog meanwhile, or has closed it, wants no other one to open. */
  const ask = async (order: Order, then: (quoted: Order) => void) => {
    if (!isMounted.current) return
    if (isAhead(order.preview?.expiresAt)) return then(order)
    setBusy(true)
    const quoted = await quotedOrder(order)
    if (!isMounted.current) return
    setBusy(false)
    then(quoted)
  }
  return { ask, busy }
}

async function quotedOrder(order: Order): Promise<Order> {
  const { companyId, planId, billingCycle } = order
  const choice = { planId, billingCycle }
  try {
    const quoted = orderOf(companyId, choice, await previewChange(companyId, choice, randomId()))
    return quoted.amount > 0 ? quoted : order
  } catch {
    return order
  }
}
