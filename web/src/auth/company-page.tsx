// The frame of a page about the selected company: its title, what stands there until the companies are known, and the
// way on for who has no company or not the role.
import { Fragment, useDeferredValue, type ReactNode } from 'react'
import { Link } from 'react-router'
import type { Company } from '../api/companies'
import { paths } from '../lib/paths'
import { buttonClass } from '../ui/button'
import { EmptyArea, FailedArea, ForbiddenArea, LoadingArea } from '../ui/data-area'
import { CompanyIcon } from '../ui/icons'
import { Page } from '../ui/page'
import { useAnnounceFailure } from '../ui/use-announce-failure'
import { useCompany } from './company'

const FAILED = 'Erro ao carregar empresas'

export interface CompanyPageProps {
  title: string
  subtitle?: string
  /** Stands in for the content until the companies are known. */
  skeleton: ReactNode
  /** Without it everybody in the company may read the page. */
  mayRead?: (company: Company) => boolean
  /** Why a company has to be selected. */
  noCompanyText?: string
  /** What the page shows all the same to who has no company. */
  withoutCompany?: ReactNode
  /** Mounted anew for another company. */
  children: (company: Company) => ReactNode
}

export function CompanyPage({ title, subtitle, ...content }: CompanyPageProps) {
  return (
    <Page title={title} subtitle={subtitle}>
      <Content {...content} />
    </Page>
  )
}

function Content({
  skeleton,
  mayRead,
  noCompanyText,
  withoutCompany,
  children,
}: Omit<CompanyPageProps, 'title' | 'subtitle'>) {
  const { company, query } = useCompany()
  // Deferred: the page is rendered in pieces, not at one go with the answer that names the company.
  const isKnown = useDeferredValue(company !== undefined)
  const isRead = query.data !== undefined
  useAnnounceFailure(FAILED, !isRead && !query.isPending, isRead)
  if (company && !isKnown) return <LoadingArea>{skeleton}</LoadingArea>
  if (company && mayRead && !mayRead(company)) return <ForbiddenArea />
  if (company) return <Fragment key={company.id}>{children(company)}</Fragment>
  if (query.isPending) return <LoadingArea>{skeleton}</LoadingArea>
  if (!isRead) {
    const { error, refetch, isFetching } = query
    return <FailedArea title={FAILED} error={error} onRetry={refetch} busy={isFetching} />
  }
  const hasMore = withoutCompany !== undefined
  return (
    <>
      <EmptyArea
        icon={CompanyIcon}
        title="Nenhuma empresa selecionada"
        text={noCompanyText}
        action={
          <Link to={paths.dashboard} className={buttonClass({ variant: hasMore ? 'secondary' : 'primary' })}>
            Voltar ao Dashboard
          </Link>
        }
      />
      {withoutCompany}
    </>
  )
}
