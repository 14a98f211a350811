// The period of the admin's numbers, kept in the URL (`?period=`), and the bar in which it is chosen.
import type { ReactNode } from 'react'
import type { QueryKey } from '@tanstack/react-query'
import { PauseButton } from '../../live/pause-button'
import { Segmented } from '../../ui/segmented'
import type { Period } from '../../api/admin'
import { DataAge } from './data-age'
import { DEFAULT_PERIOD, PERIODS, readPeriod } from './metrics'
import { RefreshButton } from './refresh-button'
import { useUrlState } from '../../ui/url-state'

export function usePeriod(): [Period, (period: Period) => void] {
  const url = useUrlState()
  return [readPeriod(url.get('period')), (period) => url.set({ period: period === DEFAULT_PERIOD ? '' : period })]
}

interface PeriodBarProps {
  labels?: Record<Period, string>
  period: Period
  onPeriod: (period: Period) => void
  /** What "Atualizar" reads again. */
  refreshed: readonly QueryKey[]
  /** More buttons. */
  children?: ReactNode
}

/** The head of a page of numbers: their period, and the buttons that pause and refresh them. */
export function PeriodBar({ labels, period, onPeriod, refreshed, children }: PeriodBarProps) {
  return (
    <div className="no-print flex flex-wrap items-center justify-between gap-3">
      <Segmented
        legend="Período"
        value={period}
        onChange={onPeriod}
        options={PERIODS.map((value) => ({ value, label: labels?.[value] ?? value }))}
      />
      <div className="flex flex-wrap items-center gap-2 max-sm:w-full max-sm:[&>*]:grow">
        <DataAge queryKeys={refreshed} className="mr-1 max-sm:w-full" />
        <PauseButton />
        <RefreshButton queryKeys={refreshed} />
        {children}
      </div>
    </div>
  )
}
