// "Dados de cobrança": whom receipts and boletos are made out to. For who may read payments; operators do not see it.
import { useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { billingProfileQuery, type BillingProfile as Profile } from '../../api/billing-profile'
import type { Company } from '../../api/companies'
import { formatDateTime } from '../../lib/dates'
import { formatCep } from '../../lib/postal'
import { formatTaxId } from '../../lib/tax-id'
import { useIsLive } from '../../live/status'
import { Button } from '../../ui/button'
import { Card, CardHeader } from '../../ui/card'
import { DataArea, EmptyArea, settlesFirst } from '../../ui/data-area'
import { Fact, Facts } from '../../ui/facts'
import { InvoiceIcon } from '../../ui/icons'
import { SkeletonRows } from '../../ui/skeleton'
import { BillingProfileDialog } from './billing-profile-dialog'

const PURPOSE =
  'Aparecem nos recibos e preenchem os boletos emitidos daqui em diante. Os que já foram emitidos não mudam.'

export function BillingProfile({ company, canEdit }: { company: Company; canEdit: boolean }) {
  const query = useQuery(billingProfileQuery(company.id))
  const [isEditing, setIsEditing] = useState(false)
  // The dialog does not come back with the right to edit.
  if (isEditing && !canEdit) setIsEditing(false)
  const profile = query.data
  const edit = () => setIsEditing(true)
  return (
    <Card className={settlesFirst}>
      <CardHeader
        title="Dados de cobrança"
        actions={
          profile &&
          canEdit && (
            <Button variant="secondary" size="small" onClick={edit} aria-label="Editar dados de cobrança">
              Editar
            </Button>
          )
        }
      >
        {PURPOSE}
      </CardHeader>
      <DataArea
        query={query}
        errorTitle="Erro ao carregar os dados de cobrança"
        skeleton={<SkeletonRows className="h-8" />}
        live={useIsLive()}
      >
        {(shown) => (shown ? <Shown profile={shown} /> : <Missing canEdit={canEdit} onEdit={edit} />)}
      </DataArea>
      {isEditing && profile !== undefined && (
        <BillingProfileDialog companyId={company.id} profile={profile} onClose={() => setIsEditing(false)} />
      )}
    </Card>
  )
}

function Missing({ canEdit, onEdit }: { canEdit: boolean; onEdit: () => void }) {
  return (
    <EmptyArea
      icon={InvoiceIcon}
      title="Nenhum dado de cobrança"
      text="Com o CPF ou CNPJ e o endereço, os recibos saem em nome de quem paga, e o boleto já vem preenchido."
      action={canEdit && <Button onClick={onEdit}>Preencher dados de cobrança</Button>}
    />
  )
}

function Shown({ profile }: { profile: Profile }) {
  const { taxId, taxIdKind, legalName, tradeName, address, billingEmails, updatedAt } = profile
  const isCompany = taxIdKind === 'cnpj'
  return (
    <>
      <Facts>
        <Fact name={isCompany ? 'CNPJ' : 'CPF'}>{formatTaxId(taxId)}</Fact>
        <Fact name={isCompany ? 'Razão social' : 'Nome completo'}>{legalName}</Fact>
        {tradeName && <Fact name="Nome fantasia">{tradeName}</Fact>}
        <Fact name="Endereço">{linesOf(address).join('\n')}</Fact>
        <Fact name="Emails de cobrança">
          {billingEmails.length > 0 ? billingEmails.join('\n') : <span className="text-muted">Nenhum email</span>}
        </Fact>
      </Facts>
      <p className="mt-4 text-caption text-muted">Atualizados em {formatDateTime(updatedAt)}</p>
    </>
  )
}

function linesOf({ street, number, complement, district, city, state, postalCode }: Profile['address']): string[] {
  return [
    [street, number, complement].filter(Boolean).join(', '),
    `${district}, ${city} - ${state}`,
    `CEP ${formatCep(postalCode)}`,
  ]
}
