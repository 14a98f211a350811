// The edit dialog of a company (administrators).
import { useQueryClient } from '@tanstack/react-query'
import { companyKeys, updateCompany, type Company, type CompanyForm } from '../../api/companies'
import { Dialog } from '../../ui/dialog'
import { notifySuccess } from '../../ui/toast'
import { CompanyFormFields } from './company-form'

export function EditCompanyDialog({ company, onClose }: { company: Company; onClose: () => void }) {
  const queries = useQueryClient()

  const save = async (form: CompanyForm): Promise<void> => {
    const { companyName, companyDescription } = await updateCompany(company.id, form)
    queries.setQueryData<Company[]>(companyKeys.list, (known) =>
      known?.map((row) => (row.id === company.id ? { ...row, companyName, companyDescription } : row)),
    )
    void queries.invalidateQueries({ queryKey: companyKeys.detail(company.id) })
    notifySuccess('Empresa atualizada com sucesso!')
    onClose()
  }

  return (
    <Dialog onClose={onClose} title="Editar Empresa">
      <CompanyFormFields
        initial={company}
        submitLabel="Salvar"
        busyLabel="Salvando..."
        errorTitle="Erro ao atualizar empresa"
        onSubmit={save}
        onCancel={onClose}
      />
    </Dialog>
  )
}
