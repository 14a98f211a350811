// Saved cards before a new one; a new one may be saved.
import { useState } from 'react'
import type { UseQueryResult } from '@tanstack/react-query'
import type { SavedCard } from '../../api/payments'
import { Checkbox } from '../../ui/checkbox'
import { FailedArea } from '../../ui/data-area'
import { RadioCards } from '../../ui/radio-cards'
import { useAnnounceFailure } from '../../ui/use-announce-failure'
import { brandLabel } from '../../lib/card-brand'
import { cardName, cardProblem, DefaultCardCheckbox } from './default-card'

const NEW_CARD = 'new'

interface CardSelection {
  saved: SavedCard[]
  /** Id of the saved card; null: a new one is typed. */
  selected: string | null
  select: (id: string) => void
  /** The saved card that the renewals are charged to; null without one that pays, undefined where it is not known. */
  renewsOn: string | null | undefined
  save: boolean
  setSave: (save: boolean) => void
  /** The new one may take its place. */
  defaultCard: SavedCard | undefined
  /** Whether the new card does. */
  becomesDefault: boolean
  setBecomesDefault: (becomesDefault: boolean) => void
}

/**
 * The default card is chosen first; where it has expired or was refused, the first that is good. What a colleague does
 * to the cards never moves the choice to another saved one: where the chosen card is gone, a new one is asked for.
 * `known`: undefined where they could not be read. `isUnpaid`: the default card did not pay the renewal. `isTyped`:
 * something of a new card was typed, which stays the choice when somebody saves a card meanwhile.
 */
export function useCardChoice(known: SavedCard[] | undefined, isUnpaid: boolean, isTyped: boolean): CardSelection {
  const saved = known ?? []
  const [chosen, setChosen] = useState<string | null>(null)
  const [save, setSave] = useState(false)
  const [wish, setBecomesDefault] = useState<boolean | null>(null)
  const defaultCard = saved.find(({ isDefault }) => isDefault) ?? saved[0]
  const usable = defaultCard && !cardProblem(defaultCard) ? defaultCard : saved.find((card) => !cardProblem(card))
  const selected = saved.find(({ id }) => id === (chosen ?? usable?.id))?.id ?? null
  const choice = selected ?? (isTyped ? NEW_CARD : chosen)
  if (choice !== chosen) setChosen(choice)
  const renewsOn = defaultCard && !defaultCard.isDeclined ? shortName(defaultCard) : known && null
  const becomesDefault =
    selected === null && save && defaultCard !== undefined && (wish ?? (isUnpaid || defaultCard.isDeclined))
  return { saved, selected, select: setChosen, renewsOn, save, setSave, defaultCard, becomesDefault, setBecomesDefault }
}

function shortName({ card }: SavedCard): string {
  return `${brandLabel(card.brand)} ${card.last4}`
}

/** As `renewsOn`, once the payment by this choice has succeeded: a card that pays renews, also where it was refused. */
export function renewalCard({
  renewsOn,
  save,
  becomesDefault,
  defaultCard,
  selected,
}: CardSelection): CardSelection['renewsOn'] {
  if (becomesDefault) return 'cartão novo'
  if (defaultCard) return defaultCard.id === selected ? shortName(defaultCard) : renewsOn
  return save ? 'cartão salvo' : renewsOn
}

export function CardChoice({ choice, disabled }: { choice: CardSelection; disabled: boolean }) {
  const options = choice.saved.map((method) => ({
    value: method.id,
    label: cardName(method),
    note: cardProblem(method) ?? (method.isDefault && 'Padrão'),
  }))
  if (options.length === 0) return null
  return (
    <RadioCards
      legend="Cartão"
      options={[...options, { value: NEW_CARD, label: 'Usar outro cartão' }]}
      value={choice.selected ?? NEW_CARD}
      onChange={choice.select}
      disabled={disabled}
    />
  )
}

/** Another card can be typed meanwhile. */
export function UnreadCards({ saved }: { saved: UseQueryResult<SavedCard[]> }) {
  const title = 'Não foi possível ler os cartões salvos'
  useAnnounceFailure(title, !saved.isPending, false)
  return (
    <FailedArea title={title} error={saved.error} onRetry={saved.refetch} busy={saved.isFetching} className="py-0!" />
  )
}

interface SaveCardProps {
  choice: CardSelection
  /** What saving means, word for word as it is stored. */
  consent: string | undefined
  disabled: boolean
}

/** A card that is already saved is not saved again. */
export function SaveCard({ choice, consent, disabled }: SaveCardProps) {
  const { selected, save, setSave, defaultCard, becomesDefault, setBecomesDefault } = choice
  if (selected !== null) return null
  return (
    <>
      <Checkbox
        label="Salvar cartão"
        hint={consent}
        checked={save}
        disabled={disabled}
        onChange={(event) => setSave(event.target.checked)}
      />
      {save && defaultCard && (
        <DefaultCardCheckbox
          defaultCard={defaultCard}
          charge={null}
          checked={becomesDefault}
          onChange={setBecomesDefault}
          disabled={disabled}
        />
      )}
    </>
  )
}
