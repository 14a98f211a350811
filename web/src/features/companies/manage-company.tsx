// The selected company: counters, data with its edit dialog, people, open invites, and the ways out of it.
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { companyQuery, isOpen, mayManage, maySeeMoney, type Company, type CompanyDetail } from '../../api/companies'
import { paths } from '../../lib/paths'
import { useCompany } from '../../auth/company'
import { useLinkedCompany } from '../../auth/use-linked-company'
import { useUser } from '../../auth/use-session'
import { useIsLive } from '../../live/status'
import { ActionTiles } from '../../ui/action-tiles'
import { buttonClass } from '../../ui/button'
import { Card, CardHeader } from '../../ui/card'
import { CompanyCounters, CountersSkeleton } from '../../ui/counters'
import { DataArea, EmptyArea } from '../../ui/data-area'
import { CompanyIcon, LogIcon, PaymentIcon, PlanIcon, SubscriptionIcon } from '../../ui/icons'
import { Page } from '../../ui/page'
import { Skeleton } from '../../ui/skeleton'
import { BillingProfile } from './billing-profile'
import { CompanyInfo } from './company-info'
import { DeleteCompany } from './delete-company'
import { Invites } from './invites'
import { LeaveCompany } from './leave-company'
import { Members } from './members'

/** One frame for all of it: a title that was mounted anew would lose the focus that it took on arrival. */
export function ManageCompanyPage() {
  useLinkedCompany()
  const { query, company } = useCompany()
  const isLive = useIsLive()
  return (
    <Page
      title={company?.companyName ?? 'Empresa'}
      subtitle={company && 'Gerencie usuários e configurações da empresa'}
    >
      {company ? (
        <Managed key={company.id} company={company} />
      ) : (
        <DataArea
          query={query}
          errorTitle="Erro ao carregar empresas"
          skeleton={<CountersSkeleton count={5} />}
          live={isLive}
        >
          {() => (
            <EmptyArea
              icon={CompanyIcon}
              title="Nenhuma empresa selecionada"
              action={
                <Link to={paths.companyCreate} className={buttonClass()}>
                  Criar Primeira Empresa
                </Link>
              }
            />
          )}
        </DataArea>
      )}
    </Page>
  )
}

function Managed({ company }: { company: Company }) {
  const query = useQuery(companyQuery(company.id))
  return (
    <DataArea query={query} errorTitle="Erro ao carregar empresa" skeleton={<ManageSkeleton />} live={useIsLive()}>
      {(detail) => <Content company={company} detail={detail} />}
    </DataArea>
  )
}

/** The role is the list's: it is what a live change reaches first. */
function Content({ company, detail }: { company: Company; detail: CompanyDetail }) {
  const user = useUser()
  const isAdmin = company.userRole === 'admin'
  const canManage = isAdmin && isOpen(company)
  const isCreator = company.companyCreatedBy === user.id
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
      <CompanyCounters stats={detail.stats} />
      <CompanyInfo detail={detail} canEdit={canManage} />
      {maySeeMoney(company) && <BillingProfile company={company} canEdit={mayManage(company)} />}
      <Card>
        <CardHeader title="Ações rápidas" />
        <ActionTiles
          actions={[
            { label: 'Ver Planos', icon: PlanIcon, to: paths.plans },
            { label: 'Assinaturas', icon: SubscriptionIcon, to: paths.subscriptions },
            ...(maySeeMoney(company) ? [{ label: 'Pagamentos', icon: PaymentIcon, to: paths.payments }] : []),
            ...(isAdmin ? [{ label: 'Registro de atividades', icon: LogIcon, to: paths.companyAudit }] : []),
          ]}
        />
      </Card>
      <Members company={company} detail={detail} canManage={canManage} />
      {(canManage || detail.invites.length > 0) && (
        <Invites companyId={company.id} invites={detail.invites} canManage={canManage} />
      )}
      {!canManage && !isCreator && <LeaveCompany company={company} />}
      {isCreator && isOpen(company) && <DeleteCompany company={company} />}
    </div>
  )
}

function ManageSkeleton() {
  return (
    <div className="grid gap-6">
      <CountersSkeleton count={5} />
      <Skeleton className="h-44 w-full" />
      <Skeleton className="h-44 w-full" />
      <Skeleton className="h-36 w-full" />
      <Skeleton className="h-44 w-full" />
    </div>
  )
}
