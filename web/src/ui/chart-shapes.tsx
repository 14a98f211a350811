// One series of a chart as recharts draws it. Series differ by dash and marker besides colour, bars start at zero, and
// a point that is not over yet is dashed. Called by `chart-plot.tsx`.
import { Area, Bar, Line, Rectangle, type BarShapeProps } from 'recharts'
import { completeKey, runningKey } from './chart-parts'

export interface ChartSeries {
  /** The key in the points. */
  key: string
  label: string
  kind: 'area' | 'bar' | 'line'
  color: 1 | 2 | 3 | 4 | 5
  dashed?: boolean
  /** A bar that is an outline, told apart without its colour. */
  outlined?: boolean
  marker?: 'circle' | 'square' | 'triangle'
}

/** Written out: the style sheet keeps only the variables that it finds in the source. */
const colors: Record<ChartSeries['color'], string> = {
  1: 'var(--color-chart-1)',
  2: 'var(--color-chart-2)',
  3: 'var(--color-chart-3)',
  4: 'var(--color-chart-4)',
  5: 'var(--color-chart-5)',
}

/** A line is drawn in two parts. A third, invisible line gives the tooltip each value once. */
export function shapesOf(series: ChartSeries, runningAt: number) {
  const { key, label, kind, color: index, dashed, outlined, marker = 'circle' } = series
  const stroke = colors[index]
  // A drawing that grows would keep a cheap phone busy for a second and a half, and a reader waiting.
  const shared = { name: label, stroke, isAnimationActive: false }
  if (kind === 'bar') {
    const bar = ({ index: at, ...place }: BarShapeProps) => (
      <Rectangle
        {...place}
        fillOpacity={(outlined ? 0.25 : 1) * (at === runningAt ? 0.5 : 1)}
        strokeDasharray={at === runningAt ? '4 3' : undefined}
      />
    )
    return (
      <Bar
        key={key}
        {...shared}
        dataKey={key}
        legendType={marker}
        fill={stroke}
        strokeWidth={1.5}
        maxBarSize={28}
        shape={bar}
      />
    )
  }
  const Shape = kind === 'area' ? Area : Line
  const fill = (opacity: number) => (kind === 'area' ? { fill: stroke, fillOpacity: opacity } : {})
  const part = {
    ...shared,
    type: 'monotone' as const,
    strokeWidth: 2,
    dot: markerOf(marker, index),
    tooltipType: 'none' as const,
  }
  return [
    <Shape
      key={completeKey(key)}
      {...part}
      {...fill(0.14)}
      dataKey={completeKey(key)}
      legendType={marker}
      strokeDasharray={dashed ? '5 4' : undefined}
    />,
    runningAt >= 0 && (
      <Shape
        key={runningKey(key)}
        {...part}
        {...fill(0.06)}
        dataKey={runningKey(key)}
        legendType="none"
        strokeDasharray={dashed ? '2 4' : '5 4'}
      />
    ),
    <Line
      key={key}
      name={label}
      dataKey={key}
      stroke="none"
      dot={false}
      activeDot={false}
      legendType="none"
      isAnimationActive={false}
    />,
  ]
}

/** Points of a series: the form tells it apart where the colour does not. */
function markerOf(marker: NonNullable<ChartSeries['marker']>, index: ChartSeries['color']) {
  return function Marker({ cx, cy, value, index: at }: { cx?: number; cy?: number; value?: unknown; index?: number }) {
    const point = Array.isArray(value) ? value.at(-1) : value
    if (cx === undefined || cy === undefined || typeof point !== 'number') return <g key={at} />
    const paint = { fill: 'var(--color-surface)', stroke: colors[index], strokeWidth: 2 }
    if (marker === 'square') return <rect key={at} x={cx - 3.5} y={cy - 3.5} width={7} height={7} {...paint} />
    if (marker === 'triangle')
      return <path key={at} d={`M${cx} ${cy - 4.5}L${cx + 4.5} ${cy + 3.5}H${cx - 4.5}Z`} {...paint} />
    return <circle key={at} cx={cx} cy={cy} r={3.5} {...paint} />
  }
}
