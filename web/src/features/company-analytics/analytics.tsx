// The page "Análises": what the company spent by month, plan and method, the attempts that failed, and its seats. Admins
// and finance only.
import { useQuery } from '@tanstack/react-query'
import { companyQuery, maySeeMoney, type Company } from '../../api/companies'
import { seatsOf, seatsText } from '../../api/seats'
import { spendingQuery } from '../../api/statement'
import { CompanyPage } from '../../auth/company-page'
import { UNLIMITED } from '../../lib/plans'
import { useIsLive } from '../../live/status'
import { Card, CardHeader } from '../../ui/card'
import { DataArea, settlesFirst } from '../../ui/data-area'
import { AnalyticsIcon } from '../../ui/icons'
import { Segmented } from '../../ui/segmented'
import { Skeleton } from '../../ui/skeleton'
import { oneOf, useUrlState } from '../../ui/url-state'
import { SpendingCharts } from './spending-charts'

const periods = { '3': '3 meses', '6': '6 meses', '12': '12 meses', '24': '24 meses' }
type Months = keyof typeof periods
const DEFAULT: Months = '12'
const options = (['3', '6', '12', '24'] as const).map((value) => ({ value, label: periods[value] }))
const skeleton = <Skeleton className="h-176" />
/** As tall as the seats with their bar. */
const seatsSkeleton = <Skeleton className="h-11" />

export function AnalyticsPage() {
  return (
    <CompanyPage
      title="Análises"
      subtitle="Gastos, formas de pagamento, tentativas recusadas e usuários da empresa"
      skeleton={skeleton}
      mayRead={maySeeMoney}
    >
      {(company) => <CompanyAnalytics company={company} />}
    </CompanyPage>
  )
}

function CompanyAnalytics({ company }: { company: Company }) {
  const url = useUrlState()
  const months: Months = oneOf(periods, url.get('months')) ?? DEFAULT
  const query = useQuery(spendingQuery(company.id, Number(months)))
  return (
    <>
      <Segmented
        legend="Período"
        options={options}
        value={months}
        onChange={(next) => url.set({ months: next === DEFAULT ? '' : next })}
      />
      <Seats companyId={company.id} />
      <DataArea
        query={query}
        live={useIsLive()}
        errorTitle="Erro ao carregar análises"
        skeleton={skeleton}
        className={settlesFirst}
        isEmpty={({ plans, failures, months }) =>
          plans.length === 0 && failures.length === 0 && months.every(({ refunded }) => refunded === 0)
        }
        empty={{ icon: AnalyticsIcon, text: 'Nenhum pagamento neste período' }}
      >
        {(spending) => <SpendingCharts spending={spending} />}
      </DataArea>
    </>
  )
}

/** How many of the people that the plan allows there are. */
function Seats({ companyId }: { companyId: string }) {
  const query = useQuery(companyQuery(companyId))
  return (
    <Card>
      <CardHeader title="Usuários do plano" />
      <DataArea
        query={query}
        live={useIsLive()}
        errorTitle="Erro ao carregar empresa"
        skeleton={seatsSkeleton}
        className={settlesFirst}
      >
        {(detail) => (
          <div className="grid min-h-11 content-start gap-2">
            <p>{seatsText(detail)}</p>
            {detail.maxUsers !== UNLIMITED && <Bar value={seatsOf(detail)} max={detail.maxUsers} />}
          </div>
        )}
      </DataArea>
    </Card>
  )
}

/** The sentence above it in one look; it says nothing more. */
function Bar({ value, max }: { value: number; max: number }) {
  const share = Math.min(1, value / Math.max(1, max))
  return (
    <div aria-hidden="true" className="h-2 overflow-hidden rounded-full border border-control bg-sunken">
      <div className="h-full bg-primary" style={{ width: `${share * 100}%` }} />
    </div>
  )
}
