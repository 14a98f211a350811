// What recharts draws of a chart: axes, tooltip, legend and series, once and in its own width. `chart.tsx` loads it when
// a chart comes near the screen; `chart-shapes.tsx` draws one series. Nothing but these two imports recharts.
import {
  CartesianGrid,
  ComposedChart,
  Legend,
  ResponsiveContainer,
  Symbols,
  Tooltip,
  XAxis,
  YAxis,
  type DefaultLegendContentProps,
  type SymbolType,
} from 'recharts'
import { axisWidth, indexOfRunning, withParts, type ChartPoint } from './chart-parts'
import { shapesOf, type ChartSeries } from './chart-shapes'
import { REDUCED_MOTION, useMedia } from './use-media'

export interface ChartPlotProps {
  label: string
  points: readonly ChartPoint[]
  /** The label of the point that is not over yet. */
  running: string | undefined
  series: readonly ChartSeries[]
  format: (value: number) => string
  axisFormat: (value: number) => string
  /** In pixels. */
  width: number
  height: number
}

const tick = { fill: 'var(--color-muted)', fontSize: 12 }

export default function ChartPlot(props: ChartPlotProps) {
  const { label, points, running, series, format, axisFormat, width, height } = props
  const moves = !useMedia(REDUCED_MOTION)
  const runningAt = indexOfRunning(points, running)
  const valueAxis = axisWidth(
    points,
    series.map(({ key }) => key),
    axisFormat,
  )
  const lines = series.filter(({ kind }) => kind !== 'bar').map(({ key }) => key)
  return (
    <ResponsiveContainer width="100%" height={height} initialDimension={{ width, height }}>
      <ComposedChart
        data={withParts(points, lines, runningAt)}
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
          separator=": "
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
        {series.length > 1 && <Legend content={MarkedNames} />}
        {series.map((one) => shapesOf(one, runningAt))}
      </ComposedChart>
    </ResponsiveContainer>
  )
}

/** The marker of each series, for the eye alone, and its name. The library's legend names the markers, in English. */
function MarkedNames({ payload = [] }: DefaultLegendContentProps) {
  return (
    <ul role="list" className="flex flex-wrap justify-center gap-x-3.5">
      {payload
        .filter(({ type }) => type !== 'none')
        .map(({ value, color, type }) => (
          <li key={value} className="flex items-center gap-1 text-label text-text">
            <svg aria-hidden="true" viewBox="0 0 32 32" className="size-3 shrink-0">
              <Symbols cx={16} cy={16} size={32} sizeType="diameter" type={type as SymbolType} fill={color} />
            </svg>
            {value}
          </li>
        ))}
    </ul>
  )
}
