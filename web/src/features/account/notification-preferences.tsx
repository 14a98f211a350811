// "Notificações": what the person wants to be told, by kind and channel. Each switch is saved as it is pressed. What the
// law or the safety of the account asks for is always mailed.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { asApiError } from '../../api/errors'
import { write } from '../../api/newest'
import { preferencesKey, preferencesQuery, savePreference, type NotificationPreference } from '../../api/notifications'
import { Card, CardHeader } from '../../ui/card'
import { DataArea, settlesFirst } from '../../ui/data-area'
import { FailureAlert } from '../../ui/failure-alert'
import { Skeleton } from '../../ui/skeleton'

type Kind = NotificationPreference['kind']

const kinds: Record<Kind, { label: string; hint: string }> = {
  payment_approved: { label: 'Pagamentos aprovados', hint: 'Por email, o recibo a quem pagou' },
  payment_refused: { label: 'Pagamentos com problema', hint: 'Recusados, fora do prazo ou à espera do banco' },
  subscription_due: { label: 'Vencimentos', hint: 'Quando é preciso pagar para manter o plano' },
  subscription_suspended: { label: 'Suspensão e fim da assinatura', hint: 'Quando o plano deixa de valer' },
  subscription_renewed: {
    label: 'Renovação automática',
    hint: 'Antes da cobrança no cartão e depois dela. Por email, o recibo; antes, só nos ciclos trimestral e anual',
  },
  plan_changed: {
    label: 'Mudanças de plano',
    hint: 'Upgrade, downgrade e cancelamento. Por email, só o cancelamento',
  },
  membership: { label: 'Suas empresas', hint: 'Entrada, novo papel e saída. Por email, só a entrada' },
}

export function NotificationPreferences() {
  const query = useQuery(preferencesQuery())
  const saving = useSaving()
  return (
    <Card className={settlesFirst}>
      <CardHeader title="Notificações">
        Avisos de pagamento e assinatura vão para administradores e financeiro. Por email, vão só a uma pessoa: quem fez
        o pagamento ou, sobre a assinatura, quem pagou por último; se essa pessoa não quiser o email, outra que possa
        pagar. Avisos de segurança da conta são sempre enviados por email.
      </CardHeader>
      <DataArea
        query={query}
        live
        errorTitle="Erro ao carregar notificações"
        skeleton={<Skeleton className="h-112 w-full" />}
      >
        {(preferences) => (
          <table className="-mb-3 w-full">
            <caption className="sr-only">O que você recebe e por onde</caption>
            <thead>
              <tr className="text-label text-muted">
                <th scope="col" className="pb-2 text-left font-medium">
                  Assunto
                </th>
                <th scope="col" className="w-18 pb-2 text-center font-medium">
                  No sino
                </th>
                <th scope="col" className="w-18 pb-2 text-center font-medium">
                  Por email
                </th>
              </tr>
            </thead>
            <tbody>
              {preferences
                .filter(({ kind }) => Object.hasOwn(kinds, kind))
                .map((preference) => (
                  <Row key={preference.kind} preference={preference} onChange={saving.mutate} />
                ))}
            </tbody>
          </table>
        )}
      </DataArea>
      <FailureAlert
        className="mt-4"
        title="Erro ao salvar a preferência"
        failure={saving.error && asApiError(saving.error)}
      />
    </Card>
  )
}

/** Shows the choice at once, and takes it back where it could not be saved. */
function useSaving() {
  const queries = useQueryClient()
  return useMutation({
    mutationKey: preferencesKey,
    mutationFn: savePreference,
    scope: { id: 'notification-preferences' },
    onMutate: (wanted) => {
      const before = queries.getQueryData<NotificationPreference[]>(preferencesKey)
      queries.setQueryData<NotificationPreference[]>(preferencesKey, (rows) =>
        rows?.map((row) => (row.kind === wanted.kind ? wanted : row)),
      )
      return before?.find(({ kind }) => kind === wanted.kind)
    },
    onError: (_error, _wanted, before) =>
      queries.setQueryData<NotificationPreference[]>(preferencesKey, (rows) =>
        rows?.map((row) => (before && row.kind === before.kind ? before : row)),
      ),
    // A choice that follows one that was refused brings it along: in the end the server says what is saved.
    onSettled: (saved) => {
      if (queries.isMutating({ mutationKey: preferencesKey }) > 1) return
      if (saved) write<NotificationPreference[]>(queries, preferencesKey, saved)
      else void queries.invalidateQueries({ queryKey: preferencesKey })
    },
  })
}

interface RowProps {
  preference: NotificationPreference
  onChange: (next: NotificationPreference) => void
}

function Row({ preference, onChange }: RowProps) {
  const { kind, screen, email, emailIsOptional } = preference
  const { label, hint } = kinds[kind]
  return (
    <tr className="border-t border-line">
      <th scope="row" className="py-3 pr-3 text-left font-normal">
        <span className="block">{label}</span>
        <span className="block text-label text-pretty text-muted">{hint}</span>
      </th>
      <td className="text-center">
        <Tick
          label={`${label}: no sino`}
          checked={screen}
          onChange={() => onChange({ ...preference, screen: !screen })}
        />
      </td>
      <td className="text-center">
        {emailIsOptional ? (
          <Tick
            label={`${label}: por email`}
            checked={email}
            onChange={() => onChange({ ...preference, email: !email })}
          />
        ) : (
          <span className="text-label text-muted">Sempre</span>
        )}
      </td>
    </tr>
  )
}

function Tick({ label, checked, onChange }: { label: string; checked: boolean; onChange: () => void }) {
  return (
    <label className="inline-grid size-11 cursor-pointer place-items-center">
      <span className="sr-only">{label}</span>
      <input type="checkbox" className="tick size-[18px]" checked={checked} onChange={onChange} />
    </label>
  )
}
