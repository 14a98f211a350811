// "Excluir": taking the access away comes first; erasing a person's data needs their e-mail typed, because it cannot be
// undone.
import { useEffect, useRef, useState, type FormEvent } from 'react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from 'react-router'
import { adminKeys, eraseUser, updateUser, userQuery, type AdminUserDetail } from '../../../api/admin'
import { asApiError } from '../../../api/errors'
import { adminCompanyPath } from '../../../lib/paths'
import { AlertDialog } from '../../../ui/alert-dialog'
import { Button } from '../../../ui/button'
import { DataArea } from '../../../ui/data-area'
import { Dialog } from '../../../ui/dialog'
import { EmailInput } from '../../../ui/input'
import { Field } from '../../../ui/field'
import { DownIcon } from '../../../ui/icons'
import { SkeletonLines } from '../../../ui/skeleton'
import { notifySuccess } from '../../../ui/toast'
import { KeptCompanies } from './kept-companies'

interface UserRemovalProps {
  userId: string
  onClose: () => void
  /** The person is gone: nothing may show them any longer. */
  onRemoved: () => void
}

export function UserRemoval({ userId, onClose, onRemoved }: UserRemovalProps) {
  const query = useQuery(userQuery(userId))
  if (query.data) return <Question user={query.data} onClose={onClose} onRemoved={onRemoved} />
  return (
    <Dialog onClose={onClose} title="Excluir usuário">
      <DataArea query={query} errorTitle="Erro ao carregar usuários" skeleton={<SkeletonLines count={4} />}>
        {() => null}
      </DataArea>
    </Dialog>
  )
}

function Question({ user, onClose, onRemoved }: { user: AdminUserDetail; onClose: () => void; onRemoved: () => void }) {
  const queries = useQueryClient()
  const [typed, setTyped] = useState('')
  const isErased = useRef(false)
  const deactivate = useMutation({
    mutationFn: () => updateUser(user.id, { status: 'inactive' }),
    onSuccess: async () => {
      void queries.invalidateQueries({ queryKey: adminKeys.audit })
      // First the list, then the focus goes back to it: a row that no longer fits the filter would take it away again.
      await queries.invalidateQueries({ queryKey: adminKeys.users })
      notifySuccess(`Conta de ${user.userName} desativada`)
      onClose()
    },
  })
  const erase = useMutation({
    mutationFn: () => eraseUser(user.id),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: adminKeys.userLists })
      notifySuccess('Usuário excluído e anonimizado')
      isErased.current = true
      onRemoved()
    },
  })
  // Only when the sheet of the person is closed too: an open one would ask again, and say that there is no such person.
  useEffect(
    () => () => {
      if (isErased.current) queries.removeQueries({ queryKey: adminKeys.user(user.id) })
    },
    [queries, user.id],
  )
  const busy = deactivate.isPending || erase.isPending
  const matches = typed.trim().toLowerCase() === user.userEmail.toLowerCase()
  const error = deactivate.error ?? erase.error
  const failure = error && asApiError(error)
  const needed = failure?.fields.companyId?.toString()
  // The failure of the one is no longer of interest when the other begins.
  const startDeactivating = () => {
    erase.reset()
    deactivate.mutate()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!matches || busy) return
    deactivate.reset()
    erase.mutate()
  }
  return (
    <AlertDialog
      onClose={onClose}
      title={`Excluir ${user.userName}?`}
      description={
        user.status === 'inactive'
          ? 'A conta já está desativada: a pessoa não entra mais e os dados ficam guardados.'
          : 'Desativar impede o acesso e encerra as sessões. Os dados ficam guardados e a conta pode ser reativada.'
      }
      safeLabel="Cancelar"
      actLabel="Desativar"
      actVariant="primary"
      actDisabled={user.status === 'inactive' || erase.isPending}
      busy={deactivate.isPending ? 'Desativando...' : erase.isPending && 'Excluindo...'}
      onAct={startDeactivating}
      failureTitle={deactivate.error ? 'Erro ao desativar usuário' : 'Erro ao excluir usuário'}
      failure={failure}
      failureActions={
        needed && (
          <>
            <span>
              Antes, a pessoa precisa passar a administração da empresa para outro usuário. Se só ela participa da
              empresa, o plano pago precisa ter acabado, sem pagamento em aberto. Se a pessoa não puder cuidar disso,
              desative a conta e suspenda a empresa: sem cobrança, o plano acaba 15 dias depois do período pago.
            </span>
            <Link to={adminCompanyPath(needed)}>{failure?.fields.companyName}</Link>
          </>
        )
      }
    >
      {user.status !== 'inactive' && <KeptCompanies companies={user.companies} />}
      <details className="group rounded-control border border-line">
        <summary className="flex min-h-10 cursor-pointer items-center justify-between px-3 font-medium text-danger">
          Excluir e anonimizar
          <DownIcon className="size-4 group-open:rotate-180" />
        </summary>
        <form onSubmit={submit} className="grid gap-3 border-t border-line p-3">
          <p className="text-muted">
            Apaga nome, email, CPF e telefone e tira a pessoa das empresas. Empresas de que só ela participa são
            excluídas, com o crédito que tiverem. As outras que ela criou passam ao administrador que participa delas há
            mais tempo. Faturas, recibos e cobranças de PIX e boleto mantêm os dados de quem pagou. A exclusão não pode
            ser desfeita.
          </p>
          <Field label={`Digite ${user.userEmail} para confirmar`} required>
            <EmailInput autoComplete="off" value={typed} onChange={(event) => setTyped(event.target.value)} />
          </Field>
          <Button type="submit" variant="danger" disabled={!matches || busy} busy={erase.isPending && 'Excluindo...'}>
            Excluir e anonimizar
          </Button>
        </form>
      </details>
    </AlertDialog>
  )
}
