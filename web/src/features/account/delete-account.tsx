// "Excluir minha conta": the password proves who asks; the dialog says what is kept and why.
import { useState } from 'react'
import { useMutation } from '@tanstack/react-query'
import { Link } from 'react-router'
import { deleteMe } from '../../api/auth'
import { ApiError, asApiError, fieldSentenceOf } from '../../api/errors'
import { MutationDialog } from '../../api/mutation-dialog'
import { helpPath, paths, withQuery } from '../../lib/paths'
import { session, signedInRole } from '../../auth/use-session'
import { AskCard } from '../../ui/ask-card'
import { Field } from '../../ui/field'
import { PasswordInput } from '../../ui/password-input'
import { notifySuccess } from '../../ui/toast'
import { useFocusFirstError } from '../../ui/use-focus-first-error'

const LAST_OF_PLATFORM = 'LAST_ADMIN_OF_PLATFORM'

export function DeleteAccount() {
  return (
    <AskCard
      danger
      title="Zona de perigo"
      actLabel="Excluir minha conta"
      renderDialog={(onClose) => <DeleteDialog onClose={onClose} />}
    >
      A exclusão não pode ser desfeita.
    </AskCard>
  )
}

function DeleteDialog({ onClose }: { onClose: () => void }) {
  const [password, setPassword] = useState('')
  const deletion = useMutation({
    mutationFn: async () => {
      await session.endSessionBy(() => deleteMe(password)).catch(refuse)
      notifySuccess('Sua conta foi excluída.')
    },
  })
  const wrong = deletion.error && asApiError(deletion.error).fields.password
  const fields = useFocusFirstError<HTMLDivElement>(wrong && deletion.error)
  return (
    <MutationDialog
      // A refused password is told at its field.
      mutation={wrong ? { ...deletion, error: null } : deletion}
      onClose={onClose}
      title="Excluir minha conta?"
      description={
        <div className="grid gap-2">
          <p>
            Seus dados pessoais são anonimizados, suas sessões são encerradas e você sai de todas as empresas. Empresas
            de que só você participa são excluídas, com o crédito que tiverem. As outras que você criou passam ao
            administrador que participa delas há mais tempo.
          </p>
          <p>Cartões que você salvou nas outras empresas continuam nelas. Se não quiser isso, remova-os antes.</p>
          <p>
            Faturas e recibos do que você pagou são mantidos com o seu nome, cobranças de PIX e boleto, com os dados que
            você informou, e registros de segurança, sem eles, pelo prazo que a lei exige.
          </p>
        </div>
      }
      actLabel="Excluir minha conta"
      busyLabel="Excluindo..."
      actDisabled={password === ''}
      failureTitle="Erro ao excluir sua conta"
      renderFailureActions={(code, fields) =>
        code === 'LAST_ADMIN' ? (
          <WayOut fields={fields} />
        ) : (
          code === LAST_OF_PLATFORM && <Link to={paths.adminUsers}>Usuários</Link>
        )
      }
    >
      <div ref={fields}>
        <Field
          label="Senha"
          error={wrong && (wrong === 'REQUIRED' ? fieldSentenceOf('REQUIRED') : 'Senha incorreta')}
          required
        >
          <PasswordInput
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        </Field>
      </div>
    </MutationDialog>
  )
}

/** Where no company needs the person, the platform does, whose last admin it is. */
function refuse(error: unknown): never {
  if (!(error instanceof ApiError && error.code === 'LAST_ADMIN' && error.fields.companyId === undefined)) throw error
  if (signedInRole() !== 'admin') throw error
  throw new ApiError(LAST_OF_PLATFORM, {
    status: error.status,
    sentence: 'A plataforma precisa de pelo menos um administrador. Antes, dê esse papel a outra pessoa.',
  })
}

/** What the last administrator does first. Of several companies that need the person, the server names one. */
function WayOut({ fields }: { fields: ApiError['fields'] }) {
  const companyId = fields.companyId?.toString()
  const whose = ['da empresa', fields.companyName].filter(Boolean).join(' ')
  return (
    <>
      <span className="wrap-anywhere">
        Antes, passe a administração {whose} a outra pessoa. Se só você participa dela, cancele a assinatura e use
        Encerrar agora em Ver assinatura, ou espere o fim do período pago. Um pagamento em aberto também impede a
        exclusão. Em uma empresa suspensa ou desativada, nada pode ser mudado.
      </span>
      <Link to={withQuery(paths.companyManage, { companyId })}>Gerenciar Empresa</Link>
      <Link to={withQuery(paths.plans, { companyId })}>Ver assinatura</Link>
      <a href={helpPath}>Fale com o suporte</a>
    </>
  )
}
