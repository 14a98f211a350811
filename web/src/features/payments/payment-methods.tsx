// The company's saved cards: which one pays by itself, adding and removing. Making a card the default is shown at once
// and taken back when the server refuses.
import { useState } from 'react'
import { useMutation, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { companiesQuery, mayManage } from '../../api/companies'
import { asApiError } from '../../api/errors'
import { ActDialog } from '../../api/mutation-dialog'
import { deleteMethod, makeDefaultMethod, paymentKeys, savedMethodsQuery, type SavedMethod } from '../../api/payments'
import { session } from '../../auth/use-session'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Card, CardHeader } from '../../ui/card'
import { DataArea, settlesFirst } from '../../ui/data-area'
import { CardIcon } from '../../ui/icons'
import { Skeleton } from '../../ui/skeleton'
import { notifyError } from '../../ui/toast'
import { AddCardDialog } from './add-card-dialog'
import { brandLabel } from '../../lib/card'

/** Only for whoever may see them: to others they are refused. */
PaymentMethods.prefetch = async (queries: QueryClient) => {
  const companies = await queries.fetchQuery(companiesQuery()).catch(() => [])
  const company = companies.find(({ id }) => id === session.companyId())
  if (company && mayManage(company)) await queries.prefetchQuery(savedMethodsQuery(company.id))
}

export function PaymentMethods({ companyId }: { companyId: string }) {
  const query = useQuery(savedMethodsQuery(companyId))
  const [adds, setAdds] = useState(false)
  const [removed, setRemoved] = useState<SavedMethod | null>(null)
  const makeDefault = useMakeDefault(companyId)
  return (
    <Card className={settlesFirst}>
      <CardHeader
        title="Métodos de pagamento"
        actions={
          <Button variant="secondary" size="small" onClick={() => setAdds(true)}>
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
            <ul className="grid gap-3">
              {methods.map((method) => (
                <li key={method.id} className="flex flex-wrap items-center gap-x-3 gap-y-1">
                  <CardIcon className="size-5 shrink-0 text-muted" />
                  <span className="font-medium">{nameOf(method)}</span>
                  <span className="text-muted tabular-nums">{expiryOf(method)}</span>
                  {method.isDefault && <Badge tone="success">Padrão</Badge>}
                  <span className="ml-auto flex gap-2">
                    {!method.isDefault && (
                      <Button
                        variant="ghost"
                        size="small"
                        onClick={() => makeDefault.mutate(method.id)}
                        aria-label={`Tornar padrão: ${nameOf(method)}`}
                      >
                        Tornar padrão
                      </Button>
                    )}
                    <Button
                      variant="ghost"
                      size="small"
                      onClick={() => setRemoved(method)}
                      aria-label={`Remover ${nameOf(method)}`}
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
      {adds && <AddCardDialog companyId={companyId} onClose={() => setAdds(false)} />}
      {removed && <RemoveCard companyId={companyId} method={removed} onClose={() => setRemoved(null)} />}
    </Card>
  )
}

function nameOf({ card }: SavedMethod): string {
  return `${brandLabel(card.brand)} final ${card.last4}`
}

function expiryOf({ card }: SavedMethod): string {
  return `${String(card.expMonth).padStart(2, '0')}/${String(card.expYear).slice(-2)}`
}

/** One choice after the other; what the server holds is read again after each, whatever crossed it. */
function useMakeDefault(companyId: string) {
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
      notifyError(asApiError(error).sentence)
    },
    onSettled: () => void queries.invalidateQueries({ queryKey: key }),
  })
}

function RemoveCard({ companyId, method, onClose }: { companyId: string; method: SavedMethod; onClose: () => void }) {
  const queries = useQueryClient()
  const remove = async () => {
    await deleteMethod(companyId, method.id)
    const queryKey = paymentKeys.methods(companyId)
    queries.setQueryData<SavedMethod[]>(queryKey, (rows) => rows?.filter(({ id }) => id !== method.id))
    void queries.invalidateQueries({ queryKey })
  }
  return (
    <ActDialog
      act={remove}
      onClose={onClose}
      title="Remover cartão"
      description={`${nameOf(method)} deixa de ser usado nas próximas cobranças.`}
      safeLabel="Manter cartão"
      actLabel="Remover"
      busyLabel="Removendo..."
    />
  )
}
