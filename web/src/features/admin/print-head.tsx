// What stands on top of a printed page of numbers: whose they are, of which days, and when they were printed. On the
// screen the header and the period's buttons say it.
import type { Period } from '../../api/admin'
import { formatDate, formatDateTime } from '../../lib/dates'
import { serverNow } from '../../live/server-clock'
import { periodDays, periodLabels } from './metrics'

export function PrintHead({ title, period }: { title: string; period: Period }) {
  const now = serverNow()
  const from = now - periodDays[period] * 24 * 60 * 60_000
  return (
    <div className="hidden print:block">
      <p className="text-h2 font-semibold">Bipe · {title}</p>
      <p className="tabular-nums">
        Período: {periodLabels[period]} ({formatDate(from)} a {formatDate(now)}) · Impresso em {formatDateTime(now)}
      </p>
    </div>
  )
}
