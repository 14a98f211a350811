// Charts over recharts: a figure whose caption states the finding, the same numbers as a table, a text for assistive
// technology. Nothing else imports recharts, and screens with a chart are chunks of their own. `chart-shapes.tsx` draws
// one series.
import { startTransition, useId, useLayoutEffect, useRef, useState, type ReactElement } from 'react'
import { CartesianGrid, ComposedChart, Legend, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import { Button } from './button'
import { axisWidth, runningAt, withParts, type ChartPoint } from './chart-parts'
import { shapesOf, type ChartSeries } from './chart-shapes'
import { REDUCED_MOTION, useMedia } from './use-media'

export type { ChartPoint, ChartSeries }

const HEIGHT = 280
/** Where nothing is laid out, as in unit tests. */
const UNKNOWN_WIDTH = 640

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
        <Button
          variant="secondary"
          size="small"
          className="shrink-0"
          aria-pressed={asTable}
          onClick={() => setAsTable(!asTable)}
        >
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
          <Plot
            label={caption}
            points={points}
            running={running}
            series={series}
            format={format}
            axisFormat={axisFormat}
          />
        </>
      )}
    </figure>
  )
}

/** A chart of zeros alone is not drawn. */
function isFlat(points: readonly ChartPoint[], series: readonly ChartSeries[]): boolean {
  return points.every((point) => series.every(({ key }) => !point[key]))
}

const tick = { fill: 'var(--color-muted)', fontSize: 12 }

type PlotProps = Pick<ChartProps, 'points' | 'series' | 'format' | 'axisFormat'> & {
  label: string
  running: string | undefined
}

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
          <ComposedChart
            data={withParts(points, lines, openAt)}
            margin={{ top: 8, right: 12, bottom: 0, left: 0 }}
            accessibilityLayer
            title={label}
          >
            <CartesianGrid vertical={false} stroke="var(--color-line)" />
            <XAxis
              dataKey="label"
              tick={tick}
              tickLine={false}
              axisLine={{ stroke: 'var(--color-control)' }}
              minTickGap={12}
              interval="equidistantPreserveEnd"
              padding={{ left: 16, right: 16 }}
            />
            <YAxis
              tick={tick}
              tickLine={false}
              axisLine={false}
              tickFormatter={axisFormat}
              width={valueAxis}
              domain={[0, 'auto']}
              allowDecimals={false}
            />
            <Tooltip
              formatter={(value, name) => [typeof value === 'number' ? format(value) : '—', name]}
              cursor={{ stroke: 'var(--color-control)', fill: 'var(--color-sunken)', fillOpacity: 0.5 }}
              contentStyle={{
                background: 'var(--color-surface)',
                border: '1px solid var(--color-line)',
                borderRadius: 6,
                color: 'var(--color-text)',
              }}
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
