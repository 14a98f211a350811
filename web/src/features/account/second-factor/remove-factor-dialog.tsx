// Asks before a factor is removed. Without the last factor the password alone opens the account.
import { useQueryClient } from '@tanstack/react-query'
import { ApiError, asApiError } from '../../../api/errors'
import { ActDialog } from '../../../api/mutation-dialog'
import { removePasskey, removeTotp, type Passkey } from '../../../api/second-factor'
import { secondFactorKey } from '../../../api/second-factor-key'
import { notifySuccess } from '../../../ui/toast'

/** The app, or a passkey. */
export interface Removable {
  passkey?: Passkey
  isLast: boolean
}

export function RemoveFactorDialog({ factor, onClose }: { factor: Removable; onClose: () => void }) {
  const { passkey, isLast } = factor
  const queries = useQueryClient()
  const remove = async () => {
    await (passkey ? removePasskey(passkey.id) : removeTotp()).catch(refuseUnlessGone)
    await queries.invalidateQueries({ queryKey: secondFactorKey })
    notifySuccess(passkey ? 'Chave de acesso removida.' : 'Aplicativo autenticador removido.')
  }
  const rest = isLast
    ? 'A verificação em duas etapas fica desativada e os códigos de recuperação deixam de valer: a senha sozinha abrirá a sua conta.'
    : 'As outras formas de verificação continuam ativas.'
  return (
    <ActDialog
      act={remove}
      onClose={onClose}
      title={passkey ? `Remover ${passkey.name}?` : 'Remover o aplicativo autenticador?'}
      description={rest}
      actLabel="Remover"
      busyLabel="Removendo..."
      failureTitle="Erro ao remover"
    />
  )
}

/** One that was removed meanwhile, or elsewhere, is removed. A platform admin may not be without one. */
function refuseUnlessGone(thrown: unknown): void {
  const error = asApiError(thrown)
  if (error.code === 'NOT_FOUND') return
  if (error.code !== 'SECOND_FACTOR_REQUIRED') throw error
  throw new ApiError(error.code, {
    status: error.status,
    sentence: 'Administradores da plataforma não podem ficar sem verificação. Adicione outra antes de remover esta.',
  })
}
