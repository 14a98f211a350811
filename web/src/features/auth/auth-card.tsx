// The card of an auth page, and the success panel that replaces its form.
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { buttonClass } from '../../ui/button'
import { Card } from '../../ui/card'
import { SuccessIcon } from '../../ui/icons'
import { usePageTitle } from '../../ui/page'

export function AuthCard({ title, subtitle, children }: { title: string; subtitle: ReactNode; children: ReactNode }) {
  usePageTitle(title)
  return (
    <Card className="grid gap-6 sm:p-8">
      <div className="grid gap-1">
        <h1 tabIndex={-1} className="text-h2">
          {title}
        </h1>
        <p className="text-muted">{subtitle}</p>
      </div>
      {children}
    </Card>
  )
}

interface SuccessCardProps {
  title: string
  text: ReactNode
  /** The way on. */
  link?: { to: string; label: string; onClick?: () => void }
}

/** The focus goes to its title, so that the change is heard as well as seen. */
export function SuccessCard({ title, text, link }: SuccessCardProps) {
  usePageTitle(title)
  return (
    <Card className="grid justify-items-center gap-4 text-center sm:p-8" data-bipe="">
      <SuccessIcon className="size-10 text-success" strokeWidth={1.5} />
      <div className="grid gap-1 pb-2">
        <h1 tabIndex={-1} ref={(heading) => heading?.focus()} className="text-h2">
          {title}
        </h1>
        <p className="text-balance wrap-anywhere text-muted">{text}</p>
      </div>
      {link && (
        <Link className={buttonClass({}, 'w-full')} to={link.to} onClick={link.onClick}>
          {link.label}
        </Link>
      )}
    </Card>
  )
}
