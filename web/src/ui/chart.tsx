// Charts over recharts: a figure whose caption states the finding, the same numbers as a table, a text for assistive
// technology. The only door to recharts; screens with a chart are chunks of their own. Series differ by dash and marker
// besides colour, bars start at zero, what is not over yet is dashed.
import { startTransition, useId, useLayoutEffect, useRef, useState, type ReactElement } from 'react'
import { Area, Bar, CartesianGrid, ComposedChart, Legend, Line, Rectangle, ResponsiveContainer, Tooltip, XAxis, YAxis, type BarShapeProps } from 'recharts'
import { Button } from './button'
import { axisWidth, closedKey, openKey, runningAt, withParts, type ChartPoint } from './chart-parts'
import { REDUCED_MOTION, useMedia } from './use-media'

export type { ChartPoint }

const HEIGHT = 280
/** Where nothing is laid out, as in unit tests. */
const UNKNOWN_WIDTH = 640

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

export interface ChartProps {
  /** The finding, one sentence. */
  caption: string
  /** What a sighted person sees at a glance, in words. */
  description: string
  points: readonly ChartPoint[]
  /** The label of the point that is not over yet. */
  running?: string
  series: readonly ChartSeries[]
  format: (value: number) => string
  axisFormat: (value: number) => string
  /** The same numbers as a table. */
  table: ReactElement
}

export function Chart({ caption, description, points, running, series, format, axisFormat, table }: ChartProps) {
  const [asTable, setAsTable] = useState(false)
  const id = useId()
  return (
    <figure aria-labelledby={`${id}-caption`} className="grid gap-3">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 sm:flex-nowrap">
        <figcaption id={`${id}-caption`} className="min-w-0 font-medium">
          {caption}
        </figcaption>
        <Button variant="secondary" size="small" className="shrink-0" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
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
          <Plot label={caption} points={points} running={running} series={series} format={format} axisFormat={axisFormat} />
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

type PlotProps = Pick<ChartProps, 'points' | 'series' | 'format' | 'axisFormat'> & { label: string; running: string | undefined }

function Plot({ label, points, running, series, format, axisFormat }: PlotProps) {
  const moves = !useMedia(REDUCED_MOTION)
  const frame = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState<number | null>(null)
  // Drawing is the longest work of a page: the page stands first, then each chart is drawn once, in its own width.
  useLayoutEffect(() => {
    const found = frame.current?.clientWidth
    startTransition(() => setWidth(found || UNKNOWN_WIDTH))
  }, [])
  const openAt = runningAt(points, running)
  const valueAxis = axisWidth(
    points,
    series.map(({ key }) => key),
    axisFormat,
  )
  const lines = series.filter(({ kind }) => kind !== 'bar').map(({ key }) => key)
  return (
    <div ref={frame} className="w-full" style={{ height: HEIGHT }}>
      {width !== null && (
        <ResponsiveContainer width="100%" height={HEIGHT} initialDimension={{ width, height: HEIGHT }}>
          <ComposedChart data={withParts(points, lines, openAt)} margin={{ top: 8, right: 12, bottom: 0, left: 0 }} accessibilityLayer title={label}>
            <CartesianGrid vertical={false} stroke="var(--color-line)" />
            <XAxis dataKey="label" tick={tick} tickLine={false} axisLine={{ stroke: 'var(--color-control)' }} minTickGap={12} interval="equidistantPreserveEnd" padding={{ left: 16, right: 16 }} />
            <YAxis tick={tick} tickLine={false} axisLine={false} tickFormatter={axisFormat} width={valueAxis} domain={[0, 'auto']} allowDecimals={false} />
            <Tooltip
              formatter={(value, name) => [typeof value === 'number' ? format(value) : '—', name]}
              cursor={{ stroke: 'var(--color-control)', fill: 'var(--color-sunken)', fillOpacity: 0.5 }}
              contentStyle={{ background: 'var(--color-surface)', border: '1px solid var(--color-line)', borderRadius: 6, color: 'var(--color-text)' }}
              itemStyle={{ color: 'var(--color-text)' }}
              isAnimationActive={moves}
            />
            {series.length > 1 && <Legend iconSize={12} formatter={legendText} />}
            {series.map((one) => shapesOf(one, openAt))}
          </ComposedChart>
        </ResponsiveContainer>
      )}
    </div>
  )
}

function legendText(name: string) {
  return <span className="text-label text-text">{name}</span>
}

/** A line of two parts is told by a third that nobody sees: each value once. */
function shapesOf(series: ChartSeries, openAt: number) {
  const { key, label, kind, color: index, dashed, outlined, marker = 'circle' } = series
  const stroke = colors[index]
  // A drawing that grows would keep a cheap phone busy for a second and a half, and a reader waiting.
  const shared = { name: label, stroke, isAnimationActive: false }
  if (kind === 'bar') {
    const bar = ({ index: at, ...place }: BarShapeProps) => <Rectangle {...place} fillOpacity={(outlined ? 0.25 : 1) * (at === openAt ? 0.5 : 1)} strokeDasharray={at === openAt ? '4 3' : undefined} />
    return <Bar key={key} {...shared} dataKey={key} legendType={marker} fill={stroke} strokeWidth={1.5} maxBarSize={28} shape={bar} />
  }
  const Shape = kind === 'area' ? Area : Line
  const fill = (opacity: number) => (kind === 'area' ? { fill: stroke, fillOpacity: opacity } : {})
  const part = { ...shared, type: 'monotone' as const, strokeWidth: 2, dot: markerOf(marker, index), tooltipType: 'none' as const }
  return [
    <Shape key={closedKey(key)} {...part} {...fill(0.14)} dataKey={closedKey(key)} legendType={marker} strokeDasharray={dashed ? '5 4' : undefined} />,
    openAt >= 0 && <Shape key={openKey(key)} {...part} {...fill(0.06)} dataKey={openKey(key)} legendType="none" strokeDasharray={dashed ? '2 4' : '5 4'} />,
    <Line key={key} name={label} dataKey={key} stroke="none" dot={false} activeDot={false} legendType="none" isAnimationActive={false} />,
  ]
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
