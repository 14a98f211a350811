// Charts: a figure whose caption states the finding, the same numbers as a table, a text for assistive technology.
// Drawing is the longest work of a page: `chart-plot.tsx`, and recharts with it, are loaded when a chart comes near the
// screen.
import { lazy, Suspense, useId, useRef, useState, type ComponentType, type ReactElement } from 'react'
import { Button } from './button'
import { indexOfRunning, type ChartPoint } from './chart-parts'
import type { ChartPlotProps } from './chart-plot'
import type { ChartSeries } from './chart-shapes'
import { useMedia } from './use-media'
import { useSeenWidth } from './use-seen-width'

export type { ChartPoint, ChartSeries }

/** A chart that cannot be loaded, as after the release of a newer build, is its table. */
const ChartPlot = lazy<ComponentType<PlotProps & Pick<ChartPlotProps, 'width' | 'height'>>>(() =>
  import('./chart-plot').catch(() => ({ default: ({ table }) => table })),
)

const HEIGHT = 280

interface ChartProps {
  /** The finding, one sentence. */
  caption: string
  /** What a sighted person sees at a glance, in words. That the last point is dashed, the chart says itself. */
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
  const isOver = indexOfRunning(points, running) < 0
  return (
    <figure aria-labelledby={`${id}-caption`} className="grid gap-3">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 sm:flex-nowrap">
        <figcaption id={`${id}-caption`} className="min-w-0 font-medium wrap-anywhere">
          {caption}
        </figcaption>
        <Button variant="secondary" size="small" className="no-print shrink-0" onClick={() => setAsTable(!asTable)}>
          {asTable ? 'Ver como gráfico' : 'Ver como tabela'}
        </Button>
      </div>
      {points.length > 0 && asTable ? (
        table
      ) : isFlat(points, series) ? (
        <p className="py-10 text-center text-muted">Sem dados neste período</p>
      ) : (
        <>
          <p className="sr-only">{`${description}${isOver ? '' : ` Parcial: ${running} ainda não terminou.`}`}</p>
          <Plot
            label={caption}
            points={points}
            running={running}
            series={series}
            format={format}
            axisFormat={axisFormat}
            table={table}
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

type PlotProps = Omit<ChartPlotProps, 'width' | 'height'> & Pick<ChartProps, 'table'>

/** A chart that nobody has seen yet is printed as its table. */
function Plot(props: PlotProps) {
  const frame = useRef<HTMLDivElement>(null)
  const width = useSeenWidth(frame)
  const isPrinting = useMedia('print')
  return (
    // Clipped: on a phone that was turned the chart has its old width until it is drawn again, and the page has not.
    // So the outline of a chart that has the focus lies inside.
    <div ref={frame} className="min-w-0 overflow-x-clip [&_svg]:-outline-offset-2" style={{ minHeight: HEIGHT }}>
      {width === null && isPrinting && props.table}
      <Suspense fallback={null}>{width !== null && <ChartPlot {...props} width={width} height={HEIGHT} />}</Suspense>
    </div>
  )
}
