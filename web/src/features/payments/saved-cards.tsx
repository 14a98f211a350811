// The company's saved cards: which one pays by itself, adding and removing.
import { useState } from 'react'
import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { companiesQuery, mayManage } from '../../api/companies'
import { ActDialog } from '../../api/mutation-dialog'
import { deleteCard, paymentKeys, savedCardsQuery, type SavedCard } from '../../api/payments'
import { session } from '../../auth/use-session'
import { AlertDialog } from '../../ui/alert-dialog'
import { Badge, StatusBadge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Card, CardHeader } from '../../ui/card'
import { DataArea, settlesFirst } from '../../ui/data-area'
import { CardIcon } from '../../ui/icons'
import { Skeleton } from '../../ui/skeleton'
import { AddCardDialog } from './add-card-dialog'
import { cardName, cardProblem, paysNoMore, useMakeDefault, useOverdueCharge } from './default-card'

/** Only for whoever may see them: to others they are refused. */
SavedCards.prefetch = async (queries: QueryClient) => {
  const companies = await queries.fetchQuery(companiesQuery()).catch(() => [])
  const company = companies.find(({ id }) => id === session.companyId())
  if (company && mayManage(company)) await queries.prefetchQuery(savedCardsQuery(company.id))
}

type OpenDialog = { act: 'add' } | { act: 'makeDefault' | 'remove'; card: SavedCard }

export function SavedCards({ companyId }: { companyId: string }) {
  const query = useQuery(savedCardsQuery(companyId))
  const [dialog, setDialog] = useState<OpenDialog | null>(null)
  const close = () => setDialog(null)
  const makeDefault = useMakeDefault(companyId)
  const charge = useOverdueCharge(companyId)
  /** What charges the card is asked first. */
  const choose = (card: SavedCard) => (charge ? setDialog({ act: 'makeDefault', card }) : makeDefault.mutate(card.id))
  return (
    <Card className={settlesFirst}>
      <CardHeader
        title="Métodos de pagamento"
        actions={
          <Button variant="secondary" size="small" onClick={() => setDialog({ act: 'add' })}>
            Adicionar cartão
          </Button>
        }
      />
      <DataArea
        query={query}
        live
        errorTitle="Erro ao carregar métodos de pagamento"
        skeleton={<Skeleton className="h-5 w-2/3" />}
      >
        {(methods) => (
          <>
            {methods.length === 0 && <p className="text-muted">Nenhum cartão salvo</p>}
            <ul role="list" className="grid gap-3">
              {methods.map((method) => (
                <li key={method.id} className="flex flex-wrap items-center gap-x-3 gap-y-1">
                  <CardIcon className="size-5 shrink-0 text-muted" />
                  <span className="font-medium">{cardName(method)}</span>
                  <span className="text-muted tabular-nums">{expiryOf(method)}</span>
                  <CardProblem of={method} />
                  {method.isDefault && <Badge tone="success">Padrão</Badge>}
                  <span className="ml-auto flex gap-2">
                    {!method.isDefault && (
                      <Button
                        variant="ghost"
                        size="small"
                        onClick={() => choose(method)}
                        aria-label={`Tornar padrão: ${cardName(method)}`}
                      >
                        Tornar padrão
                      </Button>
                    )}
                    <Button
                      variant="ghost"
                      size="small"
                      onClick={() => setDialog({ act: 'remove', card: method })}
                      aria-label={`Remover ${cardName(method)}`}
                    >
                      Remover
                    </Button>
                  </span>
                </li>
              ))}
            </ul>
          </>
        )}
      </DataArea>
      {dialog?.act === 'add' && (
        <AddCardDialog companyId={companyId} makeDefault={makeDefault.mutate} onClose={close} />
      )}
      {dialog?.act === 'makeDefault' && (
        <AlertDialog
          onClose={close}
          title="Tornar padrão"
          description={takesOver(dialog.card, charge)}
          safeLabel="Cancelar"
          actLabel="Tornar padrão"
          actVariant="primary"
          onAct={() => {
            makeDefault.mutate(dialog.card.id)
            close()
          }}
        />
      )}
      {dialog?.act === 'remove' && (
        <RemoveCard
          companyId={companyId}
          method={dialog.card}
          others={query.data?.filter(({ id }) => id !== dialog.card.id) ?? []}
          charge={charge}
          onClose={close}
        />
      )}
    </Card>
  )
}

function CardProblem({ of: method }: { of: SavedCard }) {
  const problem = cardProblem(method)
  return problem && <StatusBadge label={problem} tone="danger" />
}

function expiryOf({ card }: SavedCard): string {
  return `${String(card.expMonth).padStart(2, '0')}/${String(card.expYear).slice(-2)}`
}

/** What a card that takes over from the default one pays. */
function takesOver(card: SavedCard, charge: string | null): string {
  return [`As próximas cobranças passam para o ${cardName(card)}.`, charge].filter(Boolean).join(' ')
}

/** What comes after the default card: a refused one stays refused, because nobody has chosen it. */
function inItsPlace(heir: SavedCard | undefined, charge: string | null): string {
  if (!heir) return 'Sem cartão salvo, não há cobrança automática.'
  return heir.isDeclined ? paysNoMore(heir) : takesOver(heir, charge)
}

interface RemoveCardProps {
  companyId: string
  method: SavedCard
  /** The other cards. The server makes the first that was not refused, else the first, the default if that one goes. */
  others: SavedCard[]
  charge: string | null
  onClose: () => void
}

function RemoveCard({ companyId, method, others, charge, onClose }: RemoveCardProps) {
  const queries = useQueryClient()
  const remove = async () => {
    const queryKey = paymentKeys.methods(companyId)
    // No event carries the saved cards: a refusal may mean that somebody else has removed this one.
    await deleteCard(companyId, method.id).finally(() => void queries.invalidateQueries({ queryKey }))
    queries.setQueryData<SavedCard[]>(queryKey, (rows) => rows?.filter(({ id }) => id !== method.id))
  }
  const heir = others.find((card) => !card.isDeclined) ?? others[0]
  const next = method.isDefault ? inItsPlace(heir, charge) : ''
  return (
    <ActDialog
      act={remove}
      onClose={onClose}
      title="Remover cartão"
      description={`${cardName(method)} deixa de ser usado nas próximas cobranças. ${next}`.trim()}
      safeLabel="Manter cartão"
      actLabel="Remover"
      busyLabel="Removendo..."
    />
  )
}
