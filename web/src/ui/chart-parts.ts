// What a chart is drawn from. A line in two parts: what is complete, and the way from there to the point that is not
// over yet, which is drawn dashed. The room of the value axis. Pure; `chart.tsx` draws.

export type ChartPoint = { label: string } & Record<string, number | string | null>

export const completeKey = (key: string) => `${key} complete`
export const runningKey = (key: string) => `${key} running`

/** Where the points are not over yet; -1 when all are. */
export function indexOfRunning(points: readonly ChartPoint[], running: string | undefined): number {
  return points.findIndex(({ label }) => label === running)
}

/** The points with both parts of each key beside the whole. */
export function withParts(points: readonly ChartPoint[], keys: readonly string[], runningAt: number): ChartPoint[] {
  return points.map((point, index) => {
    const parts: ChartPoint = { ...point }
    for (const key of keys) {
      const value = point[key] ?? null
      parts[completeKey(key)] = index === runningAt ? null : value
      parts[runningKey(key)] = index === runningAt || index === runningAt - 1 ? value : null
    }
    return parts
  })
}

const CHARACTER_PX = 7.5
const TICK_PX = 8
/** The axis puts its labels at even steps, up to a little above the highest value. */
const STEPS = [0.25, 0.5, 0.75, 1, 1.25]

/** The room that the labels of the value axis need, known before anything is drawn: drawing twice would be slow. */
export function axisWidth(
  points: readonly ChartPoint[],
  keys: readonly string[],
  format: (value: number) => string,
): number {
  const highest = Math.max(0, ...points.flatMap((point) => keys.map((key) => Number(point[key] ?? 0))))
  const longest = Math.max(...STEPS.map((step) => format(Math.ceil(highest * step)).length))
  return Math.ceil(longest * CHARACTER_PX) + TICK_PX
}
