// The hero's picture: the bars of a shipping label with the scan beam across them.

/** Bar widths and the gaps after them, in modules. */
const bars = [2, 1, 3, 1, 1, 2, 4, 1, 2, 3, 1, 1, 3, 2, 1, 4, 2, 1, 1, 3]
const GAPS = [1, 2, 1, 1, 2, 1, 1, 3, 1, 1]
const MODULE = 6
const HEIGHT = 300

const rects: { x: number; width: number }[] = []
let next = 4 * MODULE
bars.forEach((width, index) => {
  rects.push({ x: next, width: width * MODULE })
  next += (width + (GAPS[index % GAPS.length] ?? 1)) * MODULE
})
const total = next + 3 * MODULE

export function ScannedLabel() {
  return (
    <svg
      viewBox={`0 0 ${total} ${HEIGHT}`}
      aria-hidden="true"
      className="h-24 w-full max-w-md text-on-band sm:h-32 md:h-auto md:max-w-none"
      preserveAspectRatio="xMidYMid slice"
    >
      {rects.map((rect) => (
        <rect key={rect.x} x={rect.x} y={0} width={rect.width} height={HEIGHT} fill="currentColor" />
      ))}
      <rect x={0} y={HEIGHT / 2 - 22} width={total} height={44} className="fill-band" />
      <rect x={0} y={HEIGHT / 2 - 3} width={total} height={6} className="fill-band-beam" />
    </svg>
  )
}
