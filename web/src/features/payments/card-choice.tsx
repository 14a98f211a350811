// Saved cards before a new one; a new one may be saved.
import { useState } from 'react'
import type { UseQueryResult } from '@tanstack/react-query'
import type { SavedMethod } from '../../api/payments'
import { Checkbox } from '../../ui/checkbox'
import { FailedArea } from '../../ui/data-area'
import { RadioCards } from '../../ui/radio-cards'
import { brandLabel } from '../../lib/card'

const NEW_CARD = 'new'

export interface CardSelection {
  saved: SavedMethod[]
  /** Id of the saved card; null: a new one is typed. */
  selected: string | null
  select: (id: string) => void
  /** The saved card that the renewals are charged to; null without one, undefined where it is not known. */
  renewsOn: string | null | undefined
  save: boolean
  setSave: (save: boolean) => void
}

/** The default card is chosen until the person chooses otherwise. `known`: undefined where they could not be read. */
export function useCardChoice(known: SavedMethod[] | undefined): CardSelection {
  const saved = known ?? []
  const [chosen, setChosen] = useState<string | null>(null)
  const [save, setSave] = useState(false)
  const standard = saved.find(({ isDefault }) => isDefault) ?? saved[0]
  const selected = chosen === NEW_CARD ? null : (saved.find(({ id }) => id === chosen)?.id ?? standard?.id ?? null)
  const renewsOn = standard ? `${brandLabel(standard.card.brand)} ${standard.card.last4}` : known && null
  return { saved, selected, select: setChosen, renewsOn, save, setSave }
}

export function CardChoice({ choice, disabled }: { choice: CardSelection; disabled: boolean }) {
  const options = choice.saved.map(({ id, card, isDefault }) => ({
    value: id,
    label: `${brandLabel(card.brand)} final ${card.last4}`,
    note: isDefault && 'Padrão',
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
export function UnreadCards({ saved }: { saved: UseQueryResult<SavedMethod[]> }) {
  return (
    <FailedArea
      title="Não foi possível ler os cartões salvos"
      error={saved.error}
      onRetry={saved.refetch}
      busy={saved.isFetching}
      className="py-0!"
    />
  )
}

interface SaveProps {
  choice: CardSelection
  /** What saving means, word for word as it is stored. */
  consent: string | undefined
  disabled: boolean
}

/** A card that is already saved is not saved again. */
export function SaveCard({ choice, consent, disabled }: SaveProps) {
  if (choice.selected !== null) return null
  return (
    <Checkbox
      label="Salvar cartão"
      hint={consent}
      checked={choice.save}
      disabled={disabled}
      onChange={(event) => choice.setSave(event.target.checked)}
    />
  )
}
