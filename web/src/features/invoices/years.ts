// The years that a company may have documents of.

/** From the year of the last day down to that of the first; at least the last one. */
export function yearsFrom(first: string, last: string): number[] {
  const [from, to] = [Number(first.slice(0, 4)), Number(last.slice(0, 4))]
  return Array.from({ length: Math.max(0, to - from) + 1 }, (_, back) => to - back)
}
