// The dashboard: the first-company prompt, or the selected company at a glance.
import type { ReactNode } from 'react'
import type { QueryClient } from '@tanstack/react-query'
import { Link } from 'react-router'
import { companyQuery } from '../../api/companies'
import { subscriptionQuery } from '../../api/subscriptions'
import { paths } from '../../lib/paths'
import { useCompany } from '../../auth/company'
import { session, useUser } from '../../auth/use-session'
import { useIsLive } from '../../live/status'
import { buttonClass } from '../../ui/button'
import { Card } from '../../ui/card'
import { DataArea } from '../../ui/data-area'
import { AdminIcon, CompanyIcon, type Icon } from '../../ui/icons'
import { Page } from '../../ui/page'
import { Skeleton } from '../../ui/skeleton'
import { CompanyOverview } from './company-overview'

export function DashboardPage() {
  const user = useUser()
  const { query, company } = useCompany()
  return (
    <Page title="Dashboard" subtitle={`Olá, ${user.userName}`}>
      <DataArea
        query={query}
        errorTitle="Erro ao carregar empresas"
        skeleton={<DashboardSkeleton />}
        live={useIsLive()}
      >
        {() =>
          company ? (
            <CompanyOverview key={company.id} company={company} />
          ) : user.userRole === 'admin' ? (
            <PlatformStart />
          ) : (
            <FirstCompany />
          )
        }
      </DataArea>
    </Page>
  )
}

DashboardPage.prefetch = (queries: QueryClient) => {
  const companyId = session.companyId()
  if (companyId === null) return
  void queries.prefetchQuery(subscriptionQuery(companyId))
  void queries.prefetchQuery(companyQuery(companyId))
}

function FirstCompany() {
  return (
    <Start
      icon={CompanyIcon}
      title="Comece criando sua empresa"
      text="Planos, pagamentos e usuários pertencem a uma empresa. Criar a sua leva menos de um minuto. Se você recebeu um convite para uma empresa que já existe, abra o link do email de convite."
    >
      <Link to={paths.companyCreate} className={buttonClass()}>
        Criar Primeira Empresa
      </Link>
    </Start>
  )
}

/** Who runs the platform has their work there, and rarely a company. */
function PlatformStart() {
  return (
    <Start
      icon={AdminIcon}
      title="Você administra a plataforma"
      text="Planos, empresas, usuários e números da plataforma ficam no painel. Crie uma empresa só se você também for usar o Bipe nela."
    >
      <Link to={paths.adminDashboard} className={buttonClass()}>
        Abrir o Painel Admin
      </Link>
      <Link to={paths.companyCreate} className={buttonClass({ variant: 'secondary' })}>
        Criar Primeira Empresa
      </Link>
    </Start>
  )
}

interface StartProps {
  icon: Icon
  title: string
  text: string
  children: ReactNode
}

function Start({ icon: Glyph, title, text, children }: StartProps) {
  return (
    <Card className="grid justify-items-center gap-4 px-6 py-12 text-center sm:py-12">
      <Glyph className="size-10 text-primary" strokeWidth={1.5} />
      <div className="grid gap-1">
        <h2 className="text-h3">{title}</h2>
        <p className="max-w-[52ch] text-balance text-muted">{text}</p>
      </div>
      <div className="flex flex-wrap justify-center gap-2">{children}</div>
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
