// The selected company: counters, data with its edit dialog, people.
import { useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { companyQuery, type Company, type CompanyDetail } from '../../api/companies'
import { paths } from '../../app/paths'
import { useCompany } from '../../auth/company'
import { formatDate } from '../../lib/dates'
import { Button, buttonClass } from '../../ui/button'
import { Card, CardHeader } from '../../ui/card'
import { Counters, CountersSkeleton } from '../../ui/counters'
import { DataArea, EmptyArea } from '../../ui/data-area'
import { CompanyIcon } from '../../ui/icons'
import { Page } from '../../ui/page'
import { Skeleton } from '../../ui/skeleton'
import { EditCompanyDialog } from './edit-company'
import { MemberTable } from './member-table'

export function ManageCompanyPage() {
  const { query, company } = useCompany()
  if (company) return <Managed key={company.id} company={company} />
  return (
    <Page title="Empresa">
      <DataArea query={query} errorTitle="Erro ao carregar empresas" skeleton={<CountersSkeleton />} live>
        {() => (
          <EmptyArea
            icon={CompanyIcon}
            text="Nenhuma empresa selecionada"
            action={
              <Link to={paths.companyCreate} className={buttonClass()}>
                Criar Primeira Empresa
              </Link>
            }
          />
        )}
      </DataArea>
    </Page>
  )
}

function Managed({ company }: { company: Company }) {
  const query = useQuery(companyQuery(company.id))
  return (
    <Page title={company.companyName} subtitle="Gerencie usuários e configurações da empresa">
      <DataArea query={query} errorTitle="Erro ao carregar empresa" skeleton={<ManageSkeleton />} live>
        {(detail) => <Content detail={detail} canEdit={company.userRole === 'admin'} />}
      </DataArea>
    </Page>
  )
}

function Content({ detail, canEdit }: { detail: CompanyDetail; canEdit: boolean }) {
  const [edits, setEdits] = useState(false)
  const { stats } = detail
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
      <Counters
        counters={[
          ['Total de usuários', stats.total],
          ['Usuários ativos', stats.active],
          ['Administradores', stats.admins],
          ['Operadores', stats.operators],
        ]}
      />
      <Card>
        <CardHeader
          title="Dados da empresa"
          actions={
            canEdit && (
              <Button variant="secondary" size="small" onClick={() => setEdits(true)}>
                Editar
              </Button>
            )
          }
        />
        <dl className="grid gap-3">
          <Fact name="Nome da Empresa">{detail.companyName}</Fact>
          <Fact name="Descrição">{detail.companyDescription ?? 'Sem descrição'}</Fact>
          <Fact name="Criada em">{formatDate(detail.createdAt)}</Fact>
        </dl>
      </Card>
      <Card>
        <CardHeader title="Usuários" />
        <MemberTable members={detail.users} />
      </Card>
      {edits && <EditCompanyDialog company={detail} onClose={() => setEdits(false)} />}
    </div>
  )
}

function Fact({ name, children }: { name: string; children: string }) {
  return (
    <div className="grid gap-x-4 sm:grid-cols-[12rem_minmax(0,1fr)]">
      <dt className="text-muted">{name}</dt>
      <dd className="wrap-anywhere whitespace-pre-line tabular-nums">{children}</dd>
    </div>
  )
}

function ManageSkeleton() {
  return (
    <div className="grid gap-6">
      <CountersSkeleton />
      <Skeleton className="h-44 w-full" />
      <Skeleton className="h-44 w-full" />
    </div>
  )
}
