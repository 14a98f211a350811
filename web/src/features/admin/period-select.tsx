// The period of the admin's numbers, kept in the URL (`?period=`).
import { Segmented } from '../../ui/radio-cards'
import type { Period } from '../../api/admin'
import { DEFAULT_PERIOD, PERIODS, readPeriod } from './metrics'
import { useUrlState } from '../../ui/url-state'

export function usePeriod(): [Period, (period: Period) => void] {
  const url = useUrlState()
  return [readPeriod(url.get('period')), (period) => url.set({ period: period === DEFAULT_PERIOD ? '' : period })]
}

export function PeriodSelect({
  labels,
  value,
  onChange,
}: {
  labels?: Record<Period, string>
  value: Period
  onChange: (period: Period) => void
}) {
  return (
    <Segmented
      legend="Período"
      value={value}
      onChange={onChange}
      options={PERIODS.map((period) => ({ value: period, label: labels?.[period] ?? period }))}
    />
  )
}
