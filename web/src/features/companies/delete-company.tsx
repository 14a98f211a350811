// "Zona de perigo": the creator deletes the company, after typing its name.
import { useState, type SubmitEvent } from 'react'
import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate } from 'react-router'
import { deleteCompany, type Company } from '../../api/companies'
import { asApiError } from '../../api/errors'
import { paths } from '../../lib/paths'
import { useCompany } from '../../auth/company'
import { AlertDialog } from '../../ui/alert-dialog'
import { AskCard } from '../../ui/ask-card'
import { useRetrySeconds } from '../../ui/failure-alert'
import { Field } from '../../ui/field'
import { Input } from '../../ui/input'
import { notifySuccess } from '../../ui/toast'

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
  const navigate = useNavigate()
  const { giveUp } = useCompany()
  const [typed, setTyped] = useState('')
  const deletion = useMutation({
    mutationFn: async () => {
      await giveUp(company.id, () => deleteCompany(company.id))
      // The company's page is gone by now, and its observers with it.
      notifySuccess('Empresa excluída com sucesso!')
      await navigate(paths.dashboard)
    },
  })
  const failure = deletion.error && asApiError(deletion.error)
  const isPaying = failure?.code === 'COMPANY_HAS_ACTIVE_SUBSCRIPTION'
  const wait = useRetrySeconds(failure)
  const disabled = typed.trim() !== company.companyName || wait > 0
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!disabled && !deletion.isPending) deletion.mutate()
  }
  return (
    <AlertDialog
      open
      onClose={onClose}
      title="Excluir empresa?"
      description={
        <>
          Todos os usuários perdem o acesso a <strong className="wrap-anywhere text-text">{company.companyName}</strong>
          . Registros de pagamento são guardados pelo prazo da lei.
        </>
      }
      safeLabel="Cancelar"
      actLabel="Excluir empresa"
      busy={deletion.isPending && 'Excluindo...'}
      actDisabled={disabled}
      onAct={() => deletion.mutate()}
      failureTitle="Erro ao excluir empresa"
      failure={failure}
      failureActions={
        isPaying && (
          <>
            <span>
              Um plano já cancelado vale até o fim do período pago. Em Ver assinatura, use Encerrar agora para não
              esperar por ele.
            </span>
            <Link to={paths.plans}>Ver assinatura</Link>
          </>
        )
      }
    >
      <form noValidate onSubmit={submit}>
        <Field label="Digite o nome da empresa para confirmar" required>
          <Input
            autoComplete="off"
            spellCheck={false}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </Field>
      </form>
    </AlertDialog>
  )
}
