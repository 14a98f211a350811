// A page or file of the provider's, in a new tab.
import { buttonClass } from '../../ui/button'
import { ExternalIcon } from '../../ui/icons'

/** Links from data are https, or lead to our own origin (the sandbox in development). */
export function ProviderLink({ href, children }: { href: string | null | undefined; children: string }) {
  const url = href ? addressOf(href) : null
  if (!url || (url.protocol !== 'https:' && url.origin !== location.origin)) return null
  return (
    <a href={url.href} target="_blank" rel="noopener noreferrer" className={buttonClass({ variant: 'secondary' })}>
      {children}
      <span className="sr-only">(abre em nova aba)</span>
      <ExternalIcon />
    </a>
  )
}

function addressOf(href: string): URL | null {
  try {
    return new URL(href, location.origin)
  } catch {
    return null
  }
}
