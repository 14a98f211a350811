// The dashboard: the first-company prompt, or the selected company at a glance.
import { Link } from 'react-router'
import { paths } from '../../lib/paths'
import { useCompany } from '../../auth/company'
import { useUser } from '../../auth/use-session'
import { buttonClass } from '../../ui/button'
import { Card } from '../../ui/card'
import { DataArea } from '../../ui/data-area'
import { CompanyIcon } from '../../ui/icons'
import { Page } from '../../ui/page'
import { Skeleton } from '../../ui/skeleton'
import { CompanyOverview } from './company-overview'

export function DashboardPage() {
  const user = useUser()
  const { query, company } = useCompany()
  return (
    <Page title="Dashboard" subtitle={`Olá, ${user.userName}`}>
      <DataArea query={query} errorTitle="Erro ao carregar empresas" skeleton={<DashboardSkeleton />} live>
        {() => (company ? <CompanyOverview key={company.id} company={company} /> : <FirstCompany />)}
      </DataArea>
    </Page>
  )
}

function FirstCompany() {
  return (
    <Card className="grid justify-items-center gap-4 px-6 py-12 text-center sm:py-12">
      <CompanyIcon className="size-10 text-primary" strokeWidth={1.5} />
      <div className="grid gap-1">
        <h2 className="text-h3">Comece criando sua empresa</h2>
        <p className="max-w-[52ch] text-balance text-muted">
          Planos, pagamentos e usuários pertencem a uma empresa. Leva menos de um minuto.
        </p>
      </div>
      <Link to={paths.companyCreate} className={buttonClass()}>
        Criar Primeira Empresa
      </Link>
    </Card>
  )
}

function DashboardSkeleton() {
  return (
    <div className="grid gap-4">
      <Skeleton className="h-38 w-full" />
      <div className="grid grid-cols-2 gap-4 lg:grid-cols-4">
        <Skeleton className="h-24" />
        <Skeleton className="h-24" />
        <Skeleton className="h-24" />
        <Skeleton className="h-24" />
      </div>
    </div>
  )
}
