// The edit dialog of a company (administrators).
import { useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { companyKeys, companyQuery, updateCompany, type Company, type CompanyForm } from '../../api/companies'
import { mergeChanges } from '../../api/merge-changes'
import { Dialog } from '../../ui/dialog'
import { notifySuccess } from '../../ui/toast'
import { CompanyFormFields } from './company-form'

export function EditCompanyDialog({ company, onClose }: { company: Company; onClose: () => void }) {
  const queries = useQueryClient()
  /** As the form began: `company` follows the server while the form stays as it is. */
  const [opened] = useState(company)

  const save = async (form: CompanyForm): Promise<void> => {
    // The call writes both fields, and another administrator may have changed one meanwhile.
    const now = await queries.fetchQuery({ ...companyQuery(company.id), staleTime: 0 })
    const { companyName, companyDescription } = await updateCompany(
      company.id,
      mergeChanges(formOf(opened), form, formOf(now)),
    )
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
        initial={opened}
        submitLabel="Salvar"
        busyLabel="Salvando..."
        errorTitle="Erro ao atualizar empresa"
        onSubmit={save}
        onCancel={onClose}
      />
    </Dialog>
  )
}

function formOf({ companyName, companyDescription }: Pick<Company, keyof CompanyForm>): CompanyForm {
  return { companyName, companyDescription }
}
