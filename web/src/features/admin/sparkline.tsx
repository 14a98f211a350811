// The course of the last months beside a number, without axes. The page's words carry the same for assistive technology.
import { formatMonth } from '../../lib/dates'
import { formatReais } from '../../lib/money'
import { sparkPoints } from './series'

const WIDTH = 112
/** Below a line of the number beside it, so that cards with and without one stand on one line. */
const HEIGHT = 28

export function Sparkline({ label, rows }: { label: string; rows: readonly { month: string; value: number }[] }) {
  const first = rows[0]
  const last = rows.at(-1)
  if (!first || !last || rows.length < 2) return null
  const points = sparkPoints(
    rows.map(({ value }) => value),
    WIDTH,
    HEIGHT,
  )
  const end = points.at(-1)
  return (
    <span className="min-w-0 shrink">
      <span className="sr-only">{`${label} de ${formatMonth(first.month)} (${formatReais(first.value)}) a ${formatMonth(last.month)} (${formatReais(last.value)})`}</span>
      <svg
        aria-hidden="true"
        width={WIDTH}
        height={HEIGHT}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        className="block max-w-full text-chart-1"
      >
        <polyline
          points={points.map(([x, y]) => `${x},${y}`).join(' ')}
          fill="none"
          stroke="currentColor"
          strokeWidth="1.75"
          strokeLinejoin="round"
          strokeLinecap="round"
        />
        {end && <circle cx={end[0]} cy={end[1]} r="3" className="fill-beam" />}
      </svg>
    </span>
  )
}
