// 'Criar Empresa': the new company becomes the selected one and the dashboard opens 100 ms later.
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { companyKeys, createCompany, type Company, type CompanyForm } from '../../api/companies'
import { paths } from '../../lib/paths'
import { useCompany } from '../../auth/company'
import { Card } from '../../ui/card'
import { Page } from '../../ui/page'
import { notifySuccess } from '../../ui/toast'
import { CompanyFormFields } from './company-form'

const REDIRECT_MS = 100

export function CreateCompanyPage() {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const { select } = useCompany()

  const create = async (form: CompanyForm): Promise<void> => {
    const company = await createCompany(form)
    queries.setQueryData<Company[]>(companyKeys.list, (known) => [
      ...(known ?? []).filter(({ id }) => id !== company.id),
      company,
    ])
    void queries.invalidateQueries({ queryKey: companyKeys.list, exact: true })
    select(company)
    notifySuccess('Empresa criada com sucesso!')
    setTimeout(() => void navigate(paths.dashboard), REDIRECT_MS)
  }

  return (
    <Page title="Criar Empresa" subtitle="Você será administrador da empresa e poderá convidar outras pessoas." narrow>
      <Card>
        <CompanyFormFields
          submitLabel="Criar Empresa"
          busyLabel="Criando..."
          errorTitle="Erro ao criar empresa"
          onSubmit={create}
          onCancel={() => void navigate(paths.dashboard)}
        />
      </Card>
    </Page>
  )
}
