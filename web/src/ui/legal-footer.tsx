// The foot of pages without a menu: the legal texts and the way to help.
import { Link } from 'react-router'
import { helpPath, legalPages } from '../lib/paths'
import { cx } from './cx'

export function LegalFooter({ className }: { className: string }) {
  return (
    <footer className={cx('flex flex-wrap gap-x-5 gap-y-2 text-label', className)}>
      {legalPages.map(({ path, label }) => (
        <Link key={path} className="link" to={path}>
          {label}
        </Link>
      ))}
      <Link reloadDocument className="link" to={helpPath}>
        Ajuda
      </Link>
    </footer>
  )
}
