// Sections, legal pages, help, the version, and who offers all this.
import type { PublicConfig } from '../../api/config'
import { issuerLine, missingIssuer } from '../../lib/issuer'
import { legalPages } from '../../lib/paths'
import { VERSION } from '../../lib/version'
import { Brand } from '../../ui/brand'
import { sections } from './sections'

export interface LandingFooterProps {
  withPrices: boolean
  /** Null until the server has answered. */
  config: PublicConfig | null
}

export function LandingFooter({ withPrices, config }: LandingFooterProps) {
  // A server of an older build has one address for everything.
  const help = config?.helpEmail ?? config?.salesEmail
  return (
    <footer id="ajuda" className="border-t border-line text-label text-muted">
      <div className="mx-auto grid max-w-[1200px] gap-4 px-4 py-8 md:px-6 lg:px-8">
        <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
          <Brand size={24} className="text-text max-md:basis-full md:mr-auto" />
          {sections(withPrices).map(({ id, label }) => (
            <a key={id} className="link md:hidden" href={`#${id}`}>
              {label}
            </a>
          ))}
          {legalPages.map(({ path, label }) => (
            <a key={path} className="link" href={path}>
              {label}
            </a>
          ))}
          <span className="tabular-nums">v{VERSION}</span>
        </div>
        {/* As high as two lines before it is known. */}
        <div className="grid min-h-10 gap-1 wrap-anywhere">
          {config && (
            <>
              <p>
                Ajuda, todos os dias e a qualquer hora:{' '}
                <a className="link" href={`mailto:${help}?subject=Ajuda`}>
                  {help}
                </a>
              </p>
              <p>{issuerLine(config.issuer) ?? missingIssuer(config.environment)}</p>
            </>
          )}
        </div>
      </div>
    </footer>
  )
}
