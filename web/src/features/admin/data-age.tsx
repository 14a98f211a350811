// "Dados de 2 s atrás": the page's data comes from a replica of the database that is behind. Such data is read again
// until it is of now, because no live event tells what the replica lacked.
import { useEffect, useState } from 'react'
import { useQueryClient, type QueryKey } from '@tanstack/react-query'
import { useOldestData } from '../../api/data-age'
import { dataAge } from '../../lib/dates'
import { useIsPaused } from '../../live/status'
import { cx } from '../../ui/cx'

const AGAIN_EVERY_MS = 10_000

interface DataAgeProps {
  /** Whose data the page shows. */
  queryKeys: readonly QueryKey[]
  className?: string
}

export function DataAge(props: DataAgeProps) {
  const oldest = useOldestData(props.queryKeys)
  // Each answer begins to age anew.
  return oldest === null ? null : <OldData key={oldest} since={oldest} {...props} />
}

function OldData({ since, queryKeys, className }: DataAgeProps & { since: number }) {
  const queries = useQueryClient()
  const paused = useIsPaused()
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => {
      setNow(Date.now())
      if (paused || document.visibilityState !== 'visible') return
      for (const queryKey of queryKeys) void queries.refetchQueries({ queryKey, type: 'active' })
    }, AGAIN_EVERY_MS)
    return () => clearInterval(timer)
  }, [paused, queries, queryKeys])
  return <p className={cx('text-caption text-muted tabular-nums', className)}>{dataAge(now - since)}</p>
}
