// Charts over recharts: a figure whose caption states the finding, the same numbers as a table, a text for assistive
// technology. The only door to recharts; screens with a chart are chunks of their own. Series differ by dash and marker
// besides colour, bars start at zero, what is not over yet is dashed.
import { useId, useState, useSyncExternalStore, type ReactElement } from 'react'
import { Area, Bar, CartesianGrid, ComposedChart, Legend, Line, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import { Button } from './button'

const HEIGHT = 280

export interface ChartSeries {
  /** The key in the points. */
  key: string
  label: string
  kind: 'area' | 'bar' | 'line'
  color: 1 | 2 | 3 | 4 | 5
  dashed?: boolean
  /** A bar that is an outline, told apart without its colour. */
  outlined?: boolean
  /** Drawn with its sibling, without a legend entry of its own. */
  unlisted?: boolean
  marker?: 'circle' | 'square' | 'triangle'
}

export type ChartPoint = { label: string } & Record<string, number | string | null>

export interface ChartProps {
  /** The finding, one sentence. */
  caption: string
  /** What a sighted person sees at a glance, in words. */
  description: string
  points: readonly ChartPoint[]
  series: readonly ChartSeries[]
  format: (value: number) => string
  axisFormat: (value: number) => string
  /** The same numbers as a table. */
  table: ReactElement
}

export function Chart({ caption, description, points, series, format, axisFormat, table }: ChartProps) {
  const [asTable, setAsTable] = useState(false)
  const id = useId()
  return (
    <figure aria-labelledby={`${id}-caption`} className="grid gap-3">
      <div className="flex flex-wrap items-start justify-between gap-2">
        <figcaption id={`${id}-caption`} className="font-medium">
          {caption}
        </figcaption>
        <Button variant="secondary" size="small" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {asTable ? 'Ver como gráfico' : 'Ver como tabela'}
        </Button>
      </div>
      {points.length > 0 && asTable ? (
        table
      ) : isFlat(points, series) ? (
        <p className="py-10 text-center text-muted">Sem dados neste período</p>
      ) : (
        <>
          <p className="sr-only">{description}</p>
          <Plot label={caption} points={points} series={series} format={format} axisFormat={axisFormat} />
        </>
      )}
    </figure>
  )
}

/** Nothing but zeros is no picture: its axis would count what nobody did. */
function isFlat(points: readonly ChartPoint[], series: readonly ChartSeries[]): boolean {
  return points.every((point) => series.every(({ key }) => !point[key]))
}

/** Written out: the style sheet keeps only the variables that it finds in the source. */
const colors: Record<ChartSeries['color'], string> = {
  1: 'var(--color-chart-1)',
  2: 'var(--color-chart-2)',
  3: 'var(--color-chart-3)',
  4: 'var(--color-chart-4)',
  5: 'var(--color-chart-5)',
}
const tick = { fill: 'var(--color-muted)', fontSize: 12 }

function Plot({ label, points, series, format, axisFormat }: Pick<ChartProps, 'points' | 'series' | 'format' | 'axisFormat'> & { label: string }) {
  const moves = !useReducedMotion()
  const listed = series.filter(({ unlisted }) => !unlisted)
  return (
    <div className="w-full" style={{ height: HEIGHT }}>
      <ResponsiveContainer width="100%" height={HEIGHT} initialDimension={{ width: 640, height: HEIGHT }}>
        <ComposedChart data={points as ChartPoint[]} margin={{ top: 8, right: 12, bottom: 0, left: 0 }} accessibilityLayer title={label}>
          <CartesianGrid vertical={false} stroke="var(--color-line)" />
          <XAxis dataKey="label" tick={tick} tickLine={false} axisLine={{ stroke: 'var(--color-control)' }} minTickGap={12} padding={{ left: 16, right: 16 }} />
          <YAxis tick={tick} tickLine={false} axisLine={false} tickFormatter={axisFormat} width={76} domain={[0, 'auto']} allowDecimals={false} />
          <Tooltip
            formatter={(value, name) => [typeof value === 'number' ? format(value) : '—', name]}
            cursor={{ stroke: 'var(--color-control)', fill: 'var(--color-sunken)', fillOpacity: 0.5 }}
            contentStyle={{ background: 'var(--color-surface)', border: '1px solid var(--color-line)', borderRadius: 6, color: 'var(--color-text)' }}
            itemStyle={{ color: 'var(--color-text)' }}
            isAnimationActive={moves}
          />
          {listed.length > 1 && <Legend iconSize={12} formatter={legendText} />}
          {series.map((one) => shapeOf(one, moves))}
        </ComposedChart>
      </ResponsiveContainer>
    </div>
  )
}

function legendText(name: string) {
  return <span className="text-label text-text">{name}</span>
}

function shapeOf({ key, label, kind, color: index, dashed, outlined, unlisted, marker = 'circle' }: ChartSeries, moves: boolean) {
  const shared = { dataKey: key, name: label, stroke: colors[index], isAnimationActive: moves, legendType: unlisted ? ('none' as const) : marker }
  const line = { ...shared, type: 'monotone' as const, strokeWidth: 2, strokeDasharray: dashed ? '5 4' : undefined }
  switch (kind) {
    case 'bar':
      return <Bar key={key} {...shared} fill={colors[index]} fillOpacity={outlined ? 0.25 : 1} strokeWidth={1.5} maxBarSize={28} />
    case 'area':
      return <Area key={key} {...line} fill={colors[index]} fillOpacity={dashed ? 0.06 : 0.14} dot={markerOf(marker, index)} />
    case 'line':
      return <Line key={key} {...line} dot={markerOf(marker, index)} />
    default:
      return kind satisfies never
  }
}

/** Points of a series: the form tells it apart where the colour does not. */
function markerOf(marker: NonNullable<ChartSeries['marker']>, index: ChartSeries['color']) {
  return function Marker({ cx, cy, value, index: at }: { cx?: number; cy?: number; value?: unknown; index?: number }) {
    const point = Array.isArray(value) ? value.at(-1) : value
    if (cx === undefined || cy === undefined || typeof point !== 'number') return <g key={at} />
    const paint = { fill: 'var(--color-surface)', stroke: colors[index], strokeWidth: 2 }
    if (marker === 'square') return <rect key={at} x={cx - 3.5} y={cy - 3.5} width={7} height={7} {...paint} />
    if (marker === 'triangle') return <path key={at} d={`M${cx} ${cy - 4.5}L${cx + 4.5} ${cy + 3.5}H${cx - 4.5}Z`} {...paint} />
    return <circle key={at} cx={cx} cy={cy} r={3.5} {...paint} />
  }
}

const reduced = '(prefers-reduced-motion: reduce)'

function useReducedMotion(): boolean {
  return useSyncExternalStore(
    (changed) => {
      const query = matchMedia(reduced)
      query.addEventListener('change', changed)
      return () => query.removeEventListener('change', changed)
    },
    () => matchMedia(reduced).matches,
  )
}
