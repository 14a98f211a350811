// The edit dialog of a company (administrators).
import { useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { companyKeys, companyQuery, updateCompany, type Company, type CompanyForm } from '../../api/companies'
import { mergeChanges } from '../../api/merge-changes'
import { Dialog } from '../../ui/dialog'
import { useCloseGuard } from '../../ui/leave-guard'
import { notifySuccess } from '../../ui/toast'
import { CompanyFormFields, useCompanyForm, valuesOf } from './company-form'

export function EditCompanyDialog({ company, onClose }: { company: Company; onClose: () => void }) {
  const queries = useQueryClient()
  /** As the form began: `company` follows the server while the form stays as it is. */
  const [opened, setOpened] = useState(company)
  const form = useCompanyForm(opened)
  const { close, guard } = useCloseGuard(form.unsaved, onClose)

  const save = async (values: CompanyForm): Promise<void> => {
    // The call writes both fields, and another administrator may have changed one meanwhile.
    const now = await queries.fetchQuery({ ...companyQuery(company.id), staleTime: 0 })
    const { companyName, companyDescription } = await updateCompany(
      company.id,
      mergeChanges(formOf(opened), values, formOf(now)),
    )
    queries.setQueryData<Company[]>(companyKeys.list, (known) =>
      known?.map((row) => (row.id === company.id ? { ...row, companyName, companyDescription } : row)),
    )
    void queries.invalidateQueries({ queryKey: companyKeys.list, exact: true })
    void queries.invalidateQueries({ queryKey: companyKeys.detail(company.id) })
    notifySuccess('Empresa atualizada com sucesso!')
    onClose()
  }
  const loadNewer = () => {
    setOpened(company)
    form.startAnew(valuesOf(company))
  }

  return (
    <Dialog onClose={close} title="Editar Empresa" busy={form.isSubmitting}>
      <CompanyFormFields
        form={form}
        submitLabel="Salvar"
        busyLabel="Salvando..."
        errorTitle="Erro ao atualizar empresa"
        onSubmit={save}
        onCancel={close}
        onLoadNewer={loadNewer}
      />
      {guard}
    </Dialog>
  )
}

function formOf({ companyName, companyDescription }: Pick<Company, keyof CompanyForm>): CompanyForm {
  return { companyName, companyDescription: companyDescription ?? null }
}
