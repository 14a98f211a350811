// The page "Assinaturas": the company's subscription, and everything that happened to it, newest first.
import { useNavigate } from 'react-router'
import { paths } from '../../lib/paths'
import { CompanyPage } from '../../auth/company-page'
import { SkeletonLines } from '../../ui/skeleton'
import { SubscriptionArea } from './subscription-area'
import { Timeline } from './timeline'

export function SubscriptionsPage() {
  const navigate = useNavigate()
  return (
    <CompanyPage title="Assinaturas" skeleton={<SkeletonLines count={6} />}>
      {(company) => (
        <>
          <SubscriptionArea company={company} onChangePlan={() => void navigate(paths.plans)} />
          <Timeline companyId={company.id} />
        </>
      )}
    </CompanyPage>
  )
}
