// A line in two parts: what is complete, and the way from there to the point that is not over yet, which is drawn dashed.
// Pure; `chart.tsx` draws.

export type ChartPoint = { label: string } & Record<string, number | string | null>

export const closedKey = (key: string) => `${key} closed`
export const openKey = (key: string) => `${key} open`

/** Where the points are not over yet; -1 when all are. */
export function runningAt(points: readonly ChartPoint[], running: string | undefined): number {
  return points.findIndex(({ label }) => label === running)
}

/** The points with both parts of each key beside the whole. */
export function withParts(points: readonly ChartPoint[], keys: readonly string[], at: number): ChartPoint[] {
  return points.map((point, index) => {
    const parts: ChartPoint = { ...point }
    for (const key of keys) {
      const value = point[key] ?? null
      parts[closedKey(key)] = index === at ? null : value
      parts[openKey(key)] = index === at || index === at - 1 ? value : null
    }
    return parts
  })
}
