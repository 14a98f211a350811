// The saved card that pays by itself: its name, making another one it, and what that charges at once. Making a card the
// default is shown at once and taken back when the server refuses.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { asApiError } from '../../api/errors'
import { makeDefaultMethod, savedMethodsQuery, type SavedMethod } from '../../api/payments'
import { subscriptionQuery } from '../../api/subscriptions'
import { brandLabel } from '../../lib/card'
import { formatReais } from '../../lib/money'
import { Checkbox } from '../../ui/checkbox'
import { notifyError } from '../../ui/toast'

export const NOT_CHANGED = 'O cartão padrão não mudou'

export function nameOf({ card }: Pick<SavedMethod, 'card'>): string {
  return `${brandLabel(card.brand)} final ${card.last4}`
}

/** One choice after the other; what the server holds is read again after each, whatever crossed it. */
export function useMakeDefault(companyId: string) {
  const queries = useQueryClient()
  const key = savedMethodsQuery(companyId).queryKey
  return useMutation({
    scope: { id: `default card ${companyId}` },
    mutationFn: (methodId: string) => makeDefaultMethod(companyId, methodId),
    onMutate: (methodId) => {
      const before = queries.getQueryData(key)
      queries.setQueryData(key, (methods) =>
        methods?.map((method) => ({ ...method, isDefault: method.id === methodId })),
      )
      return before
    },
    onSuccess: (methods) => void queries.setQueryData(key, methods),
    onError: (error, _methodId, before) => {
      queries.setQueryData(key, before)
      notifyError(NOT_CHANGED, { detail: asApiError(error).sentence })
    },
    onSettled: () => void queries.invalidateQueries({ queryKey: key }),
  })
}

/**
 * That a card which becomes the default is charged the unpaid renewal at once; null where nothing is unpaid, or a payment
 * is open. A card that was tried for this period already is charged on its next day.
 */
export function useCharge(companyId: string): string | null {
  const { data: subscription } = useQuery(subscriptionQuery(companyId))
  if (!subscription?.state || subscription.payment) return null
  const { kind, amount } = subscription.state
  if (kind !== 'due' && kind !== 'suspended') return null
  return `A renovação vencida${amount ? `, de ${formatReais(amount)},` : ''} pode ser cobrada nele agora.`
}

interface PreferProps {
  /** The card that pays now. */
  standard: SavedMethod
  /** What the new card pays at once. */
  charge: string | null
  checked: boolean
  onChange: (checked: boolean) => void
  disabled: boolean
}

/** Whether a new card takes the place of the default one. */
export function PreferCard({ standard, charge, checked, onChange, disabled }: PreferProps) {
  return (
    <Checkbox
      label="Usar nas próximas cobranças"
      hint={
        checked
          ? (charge ?? `No lugar do ${nameOf(standard)}.`)
          : `As próximas cobranças continuam no ${nameOf(standard)}.`
      }
      checked={checked}
      disabled={disabled}
      onChange={(event) => onChange(event.target.checked)}
    />
  )
}
