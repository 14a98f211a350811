// The course of the last months beside a number, without axes; on a narrow card there is no room for it. The page's
// words carry the same for assistive technology.
import { formatMonth } from '../../../lib/dates'
import { formatReais } from '../../../lib/money'

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
        className="block max-w-full text-chart-1 @max-[14rem]:hidden"
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

/** Points of a sparkline in a box, bottom to top from the lowest to the highest value; a flat line is in the middle. */
export function sparkPoints(values: readonly number[], width: number, height: number): [x: number, y: number][] {
  const pad = 4
  const low = Math.min(...values)
  const span = Math.max(...values) - low
  const step = (width - 2 * pad) / Math.max(1, values.length - 1)
  return values.map((value, index) => {
    const share = span === 0 ? 0.5 : (value - low) / span
    return [round(pad + index * step), round(height - pad - share * (height - 2 * pad))]
  })
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
