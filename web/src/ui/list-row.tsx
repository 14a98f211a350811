// A line of a card's list: what it is, a note under it, and what can be done with it.
import type { ReactNode, Ref } from 'react'
import type { Icon } from './icons'

interface ListRowProps {
  icon?: Icon
  title: ReactNode
  note?: ReactNode
  /** Beside the text, or under it where there is no room. */
  children?: ReactNode
  ref?: Ref<HTMLLIElement>
}

export function ListRow({ icon: Glyph, title, note, children, ref }: ListRowProps) {
  return (
    <li
      ref={ref}
      className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line py-3 first:pt-0 last:border-0 last:pb-0"
    >
      {Glyph && <Glyph className="size-5 shrink-0 text-muted" strokeWidth={1.75} aria-hidden="true" />}
      <div className="grid min-w-0 flex-1 basis-56 gap-0.5">
        <span className="font-medium wrap-anywhere">{title}</span>
        {note && <span className="text-label text-muted tabular-nums">{note}</span>}
      </div>
      {children}
    </li>
  )
}

/**
 * Short facts in a row with dots between them. A dot never ends or begins a line: each fact brings the dot before it,
 * and the dot of the first fact of a line lies outside the row, where it is cut off.
 */
export function DotLine({ parts }: { parts: readonly string[] }) {
  return (
    <span className="block overflow-hidden">
      <span className="-ml-3 flex flex-wrap">
        {parts.map((part) => (
          <span key={part} className="relative pl-3 before:absolute before:left-1 before:content-['·']">
            {part}
          </span>
        ))}
      </span>
    </span>
  )
}
