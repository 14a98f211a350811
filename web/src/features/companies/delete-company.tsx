// "Zona de perigo": the creator deletes the company, after typing its name.
import { useState } from 'react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { deleteCompany, type Company } from '../../api/companies'
import { ActDialog } from '../../api/mutation-dialog'
import { balanceQuery } from '../../api/statement'
import { formatMinor } from '../../lib/money'
import { helpPath, paths } from '../../lib/paths'
import { Alert } from '../../ui/alert'
import { AskCard } from '../../ui/ask-card'
import { Field } from '../../ui/field'
import { Input } from '../../ui/input'
import { useGiveUp } from './use-give-up'

export function DeleteCompany({ company }: { company: Company }) {
  return (
    <AskCard
      danger
      title="Zona de perigo"
      actLabel="Excluir empresa"
      renderDialog={(onClose) => <DeleteDialog company={company} onClose={onClose} />}
    >
      Excluir a empresa encerra o acesso de todos os usuários e não pode ser desfeito.
    </AskCard>
  )
}

function DeleteDialog({ company, onClose }: { company: Company; onClose: () => void }) {
  const remove = useGiveUp(company.id, () => deleteCompany(company.id), 'Empresa excluída com sucesso!')
  const [typed, setTyped] = useState('')
  return (
    <ActDialog
      act={remove}
      onClose={onClose}
      title="Excluir empresa?"
      description={
        <>
          Todos os usuários perdem o acesso a <strong className="wrap-anywhere text-text">{company.companyName}</strong>
          . Registros de pagamento são guardados pelo prazo da lei.
        </>
      }
      actLabel="Excluir empresa"
      busyLabel="Excluindo..."
      actDisabled={visibleText(typed) !== visibleText(company.companyName)}
      failureTitle="Erro ao excluir empresa"
      renderFailureActions={(code) =>
        code === 'COMPANY_HAS_ACTIVE_SUBSCRIPTION' && (
          <>
            <span>
              Um plano já cancelado vale até o fim do período pago, e um suspenso ainda pode ser pago. Em Ver
              assinatura, use Encerrar agora para não esperar: o valor dos dias que restam vira crédito, que se perde
              com a exclusão. Um pagamento em aberto também impede a exclusão.
            </span>
            <Link to={paths.plans}>Ver assinatura</Link>
          </>
        )
      }
    >
      <div className="grid gap-4">
        <LostCredit companyId={company.id} />
        <Field label="Digite o nome da empresa para confirmar" required>
          <Input
            autoComplete="off"
            spellCheck={false}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </Field>
      </div>
    </ActDialog>
  )
}

/** Nobody reaches the credit of a company that is gone. */
function LostCredit({ companyId }: { companyId: string }) {
  const { data } = useInfiniteQuery(balanceQuery(companyId, {}))
  if (!data || data.balance <= 0) return null
  return (
    <Alert tone="warning" actions={<a href={helpPath}>Fale com o suporte</a>}>
      A empresa tem {formatMinor(data.balance)} de crédito, que se perde com a exclusão. Se quiser esse valor de volta,
      fale com o suporte antes de excluir.
    </Alert>
  )
}

/** A name as it looks: who types it cannot know which spaces, composed letters or invisible characters it is made of. */
function visibleText(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
}
