// One company beside the list: data, payments, members and audit; its own analytics and its members as tabs of the
// sheet.
import type { ReactNode } from 'react'
import { useQuery } from '@tanstack/react-query'
import { Tabs } from 'radix-ui'
import { adminCompanyQuery, type AdminCompanyDetail } from '../../../api/admin'
import { lazyDialog } from '../../../api/lazy-dialog'
import { formatDate } from '../../../lib/dates'
import { formatCount } from '../../../lib/decimal'
import { isFailure } from '../../../lib/failure'
import { counted, statusNamed } from '../../../lib/labels'
import { Address } from '../../../ui/address'
import { Alert } from '../../../ui/alert'
import { StatusBadge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { cx } from '../../../ui/cx'
import { DataArea, EmptyArea } from '../../../ui/data-area'
import { CompanyIcon } from '../../../ui/icons'
import { Sheet } from '../../../ui/sheet'
import { SkeletonLines } from '../../../ui/skeleton'
import { AuditList } from '../audit-list'
import { CompanyChart } from './company-chart'
import { CompanyMembers } from './company-members'
import { CompanyPayments } from './company-payments'
import { CompanyPlan } from './company-plan'
import { FactList, LazyForm, SheetSection } from '../record-sheet'
import { companyStatuses } from '../labels'
import { oneOf } from '../../../ui/url-state'
import { useAnnounceFailure } from '../../../ui/use-announce-failure'

const MISSING = 'Empresa não encontrada'

/** The code of the form is loaded when it is opened. */
const CompanyForm = lazyDialog(() => import('./company-form'))

const tabs = {
  data: 'Dados',
  payments: 'Pagamentos',
  members: 'Usuários',
  analytics: 'Analytics',
  audit: 'Auditoria',
} as const
export type CompanyTab = keyof typeof tabs

export function readTab(text: string | null): CompanyTab {
  return oneOf(tabs, text) ?? 'data'
}

interface CompanySheetProps {
  companyId: string
  tab: CompanyTab
  isEditing: boolean
  onTab: (tab: CompanyTab) => void
  onEdit: (on: boolean) => void
  onClose: () => void
}

export function CompanySheet({ companyId, tab, isEditing, onTab, onEdit, onClose }: CompanySheetProps) {
  const query = useQuery(adminCompanyQuery(companyId))
  const isRead = query.data !== undefined
  const isMissing = !isRead && isFailure(query.error) && query.error.code === 'NOT_FOUND'
  useAnnounceFailure(MISSING, isMissing, isRead)
  if (isEditing && query.data) {
    return (
      <LazyForm title={`Editar ${query.data.name}`} onClose={onClose}>
        <CompanyForm company={query.data} onDone={() => onEdit(false)} onClose={onClose} />
      </LazyForm>
    )
  }
  if (isMissing) {
    return (
      <Sheet focusTitle onClose={onClose} title="Empresa">
        <EmptyArea icon={CompanyIcon} title={MISSING} text="Ela pode ter sido encerrada." />
      </Sheet>
    )
  }
  return (
    <Sheet focusTitle onClose={onClose} title={query.data?.name ?? 'Empresa'}>
      <DataArea query={query} errorTitle="Erro ao carregar empresa" skeleton={<SkeletonLines count={12} />}>
        {(company) => (
          <Tabs.Root
            value={tab}
            onValueChange={(next) => onTab(readTab(next))}
            className="grid grid-cols-[minmax(0,1fr)] gap-5"
          >
            <Tabs.List aria-label="Sobre a empresa" className="flex flex-wrap gap-1 rounded-control bg-sunken p-1">
              {Object.entries(tabs).map(([value, label]) => (
                <Tabs.Trigger
                  key={value}
                  value={value}
                  className={cx(
                    'min-h-8 grow rounded-badge px-2.5 text-label font-medium text-muted hover:text-text',
                    'data-[state=active]:bg-surface data-[state=active]:text-text',
                    'data-[state=active]:ring-1 data-[state=active]:ring-control',
                  )}
                >
                  {label}
                </Tabs.Trigger>
              ))}
            </Tabs.List>
            {Object.entries(contentsOf(company, () => onEdit(true))).map(([value, content]) => (
              <Tabs.Content key={value} value={value}>
                {content}
              </Tabs.Content>
            ))}
          </Tabs.Root>
        )}
      </DataArea>
    </Sheet>
  )
}

/** Radix draws the one of the chosen tab. */
function contentsOf(company: AdminCompanyDetail, onEdit: () => void): Record<CompanyTab, ReactNode> {
  return {
    data: <Data company={company} onEdit={onEdit} />,
    payments: <CompanyPayments company={company} />,
    members: <CompanyMembers company={company} />,
    analytics: <CompanyChart months={company.months} name={company.name} />,
    audit: <AuditList about={{ company: company.id }} />,
  }
}

function Data({ company, onEdit }: { company: AdminCompanyDetail; onEdit: () => void }) {
  const { status, statusReason, users } = company
  const facts: [string, ReactNode][] = [
    ['Descrição', company.description || '—'],
    ['Email do criador', <Address key="email" email={company.email} />],
    ['Criada em', formatDate(company.createdAt)],
    [
      'Usuários',
      `${formatCount(users.total)} (${counted(users.active, 'ativo', 'ativos', 'nenhum')}, ${counted(users.admins, 'administrador', 'administradores', 'nenhum')})`,
    ],
  ]
  return (
    <div className="grid gap-6">
      <div>
        <Button size="small" onClick={onEdit}>
          Editar
        </Button>
      </div>
      {status !== 'active' && (
        <Alert tone="warning" title={`Empresa ${statusNamed(companyStatuses, status).label.toLowerCase()}`}>
          {statusReason ?? 'Sem motivo informado'}
        </Alert>
      )}
      <SheetSection title="Dados" aside={<StatusBadge {...statusNamed(companyStatuses, status)} />}>
        <FactList facts={facts} />
      </SheetSection>
      <CompanyPlan company={company} />
    </div>
  )
}
