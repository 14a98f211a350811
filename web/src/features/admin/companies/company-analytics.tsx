// A company's MRR and payments by month. The chart's code comes with the tab.
import { lazy, Suspense } from 'react'
import type { AdminCompanyDetail } from '../../../api/admin'
import { Skeleton } from '../../../ui/skeleton'

const CompanyChart = lazy(() => import('./company-chart').then((module) => ({ default: module.CompanyChart })))

export function CompanyAnalytics(props: { months: AdminCompanyDetail['months']; name: string }) {
  return (
    <Suspense
      fallback={
        <div aria-busy="true">
          <Skeleton className="h-80" />
        </div>
      }
    >
      <CompanyChart {...props} />
    </Suspense>
  )
}
