// Where to go from here, as a grid of tiles; what does not exist yet is marked and is no link.
import { Link } from 'react-router'
import { SoonBadge } from './badge'
import { cx } from './cx'
import type { Icon } from './icons'

interface ActionTile {
  label: string
  icon: Icon
  /** Absent: the area comes later. */
  to?: string
}

const box =
  'flex h-full min-h-14 items-center gap-3 rounded-control border border-line px-4 py-3 [&_svg]:size-5 [&_svg]:shrink-0'

export function ActionTiles({ actions }: { actions: readonly ActionTile[] }) {
  return (
    <ul
      role="list"
      className={cx(
        'grid gap-3',
        actions.length === 3 ? 'sm:grid-cols-3' : 'sm:grid-cols-2',
        actions.length === 4 ? 'lg:grid-cols-4' : 'lg:grid-cols-3',
      )}
    >
      {actions.map(({ label, icon: Glyph, to }) => (
        <li key={label}>
          {to ? (
            <Link to={to} className={`${box} font-medium hover:bg-sunken`}>
              <Glyph className="text-primary" />
              {label}
            </Link>
          ) : (
            <span className={`${box} text-muted`}>
              <Glyph />
              <span className="flex-1">{label}</span>
              <SoonBadge />
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}
