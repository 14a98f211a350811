// 'Criar Empresa': the new company becomes the selected one and the dashboard opens 100 ms later, or the preview of the
// plan that the person came for. Whoever has left the page meanwhile stays where they are, in the company they are in.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearchParams } from 'react-router'
import { companyKeys, type Company, type CompanyForm } from '../../api/companies'
import { plansQuery } from '../../api/plans'
import { billingCycleLabels } from '../../lib/labels'
import { formatReais } from '../../lib/money'
import { chosenPlanPath, paths } from '../../lib/paths'
import { cyclePrice, isCycle } from '../../lib/plans'
import { useCompany } from '../../auth/company'
import { Alert } from '../../ui/alert'
import { Card } from '../../ui/card'
import { useLeaveGuard } from '../../ui/leave-guard'
import { Page } from '../../ui/page'
import { notifySuccess } from '../../ui/toast'
import { useIsMounted } from '../../ui/use-is-mounted'
import { CompanyFormFields, useCompanyForm } from './company-form'
import { useCreateCompany } from './use-create-company'

const REDIRECT_MS = 100

export function CreateCompanyPage() {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const { select } = useCompany()
  const createOnce = useCreateCompany()
  const isMounted = useIsMounted()
  const form = useCompanyForm()
  const guard = useLeaveGuard(form.unsaved)
  const [params] = useSearchParams()
  const chosen = params.get('plan')
  const cycle = params.get('cycle') ?? ''

  const create = async (values: CompanyForm): Promise<void> => {
    const company = await createOnce(values)
    queries.setQueryData<Company[]>(companyKeys.list, (known) => [
      ...(known ?? []).filter(({ id }) => id !== company.id),
      company,
    ])
    void queries.invalidateQueries({ queryKey: companyKeys.list, exact: true })
    notifySuccess('Empresa criada com sucesso!')
    if (!isMounted.current) return
    select(company)
    // Until the page is left the form stays busy: sent again it would make a second company.
    await new Promise((resolve) => setTimeout(resolve, REDIRECT_MS))
    await navigate(chosen ? chosenPlanPath(chosen, cycle) : paths.dashboard)
  }

  return (
    <Page title="Criar Empresa" subtitle="Você terá o papel Administrador e poderá convidar outras pessoas." narrow>
      {chosen && <ChosenPlan planId={chosen} cycle={cycle} />}
      <Card>
        <CompanyFormFields
          form={form}
          submitLabel="Criar Empresa"
          busyLabel="Criando..."
          errorTitle="Erro ao criar empresa"
          onSubmit={create}
          onCancel={() => void navigate(paths.dashboard)}
        />
      </Card>
      {guard}
    </Page>
  )
}

/** What the person came for; a plan that is not sold any more is told of where it would be bought. */
function ChosenPlan({ planId, cycle }: { planId: string; cycle: string }) {
  const plans = useQuery(plansQuery())
  const plan = plans.data?.find(({ id }) => id === planId)
  if (!plan) return null
  const sold = isCycle(cycle) && !plan.isFree ? cycle : 'monthly'
  return (
    <Alert tone="info" title={`Plano escolhido: ${plan.displayName}`}>
      {plan.isFree
        ? 'Grátis para sempre.'
        : `${billingCycleLabels[sold]}, ${formatReais(cyclePrice(plan, sold))}. Depois de criar a empresa, você confere o valor e paga.`}
    </Alert>
  )
}
