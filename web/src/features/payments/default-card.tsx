// The default card, which pays the renewals: a card's name, why it may not pay, how another becomes the default, and the
// charge that this causes. The change shows at once and is undone when the server refuses it.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { asApiError } from '../../api/errors'
import { makeDefaultCard, savedCardsQuery, type SavedCard } from '../../api/payments'
import { subscriptionQuery } from '../../api/subscriptions'
import { isExpired } from '../../lib/card'
import { brandLabel } from '../../lib/card-brand'
import { dayOf } from '../../lib/dates'
import { formatReais } from '../../lib/money'
import { serverNow } from '../../live/server-clock'
import { Checkbox } from '../../ui/checkbox'
import { notifyError } from '../../ui/toast'

export const NOT_CHANGED = 'O cartão padrão não mudou'

export function cardName({ card }: Pick<SavedCard, 'card'>): string {
  return `${brandLabel(card.brand)} final ${card.last4}`
}

/** Why a payment by it would be refused, which counts; null where nothing speaks against it. */
export function cardProblem(method: SavedCard): string | null {
  if (hasExpired(method)) return 'Vencido'
  return method.isDeclined ? 'Recusado' : null
}

/** Of the default card, one that was refused. */
export function paysNoMore(method: SavedCard): string {
  return `O ${cardName(method)} foi recusado e não paga as próximas cobranças.`
}

function hasExpired({ card: { expMonth: month, expYear: year } }: Pick<SavedCard, 'card'>): boolean {
  const [thisYear = 0, thisMonth = 0] = dayOf(serverNow()).split('-').map(Number)
  return isExpired({ month, year }, { month: thisMonth, year: thisYear })
}

/**
 * Changes of the default card run one after another. While another one waits, it is the one that is shown; after the
 * last one the saved cards are fetched again.
 */
export function useMakeDefault(companyId: string) {
  const queries = useQueryClient()
  const key = savedCardsQuery(companyId).queryKey
  const isLast = () => queries.isMutating({ mutationKey: key }) === 1
  return useMutation({
    mutationKey: key,
    scope: { id: `default card ${companyId}` },
    mutationFn: (methodId: string) => makeDefaultCard(companyId, methodId),
    onMutate: (methodId) => {
      const before = queries.getQueryData(key)
      queries.setQueryData(key, (methods) =>
        methods?.map((method) => ({ ...method, isDefault: method.id === methodId })),
      )
      return before
    },
    onSuccess: (methods) => {
      if (isLast()) queries.setQueryData(key, methods)
    },
    onError: (error, _methodId, before) => {
      if (isLast()) queries.setQueryData(key, before)
      notifyError(NOT_CHANGED, { detail: asApiError(error).sentence })
    },
    onSettled: () => {
      if (isLast()) void queries.invalidateQueries({ queryKey: key })
    },
  })
}

/**
 * The hint that a new default card is charged the overdue renewal at once. Null if no renewal is overdue, or a payment
 * is open. A card that already failed in this period is charged on the next day of the renewal ladder.
 */
export function useOverdueCharge(companyId: string): string | null {
  const { data: subscription } = useQuery(subscriptionQuery(companyId))
  if (!subscription?.state || subscription.payment) return null
  const { kind, amount } = subscription.state
  if (kind !== 'due' && kind !== 'suspended') return null
  return `A renovação vencida${amount ? `, de ${formatReais(amount)},` : ''} pode ser cobrada nele agora.`
}

interface DefaultCardCheckboxProps {
  /** The card that pays now. */
  defaultCard: SavedCard
  /** What the new card pays at once. */
  charge: string | null
  checked: boolean
  onChange: (checked: boolean) => void
  disabled: boolean
}

/** Whether a new card takes the place of the default one. */
export function DefaultCardCheckbox({ defaultCard, charge, checked, onChange, disabled }: DefaultCardCheckboxProps) {
  return (
    <Checkbox
      label="Usar nas próximas cobranças"
      hint={
        checked
          ? (charge ?? `No lugar do ${cardName(defaultCard)}.`)
          : defaultCard.isDeclined
            ? paysNoMore(defaultCard)
            : `As próximas cobranças continuam no ${cardName(defaultCard)}.`
      }
      checked={checked}
      disabled={disabled}
      onChange={(event) => onChange(event.target.checked)}
    />
  )
}
