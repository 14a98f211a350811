// Sections, legal pages, help and the version.
import { legalPages } from '../../lib/paths'
import { VERSION } from '../../lib/version'
import { Brand } from '../../ui/brand'
import { sections } from './sections'

export function LandingFooter({ withPrices }: { withPrices: boolean }) {
  return (
    <footer id="ajuda" className="border-t border-line">
      <div className="mx-auto flex max-w-[1200px] flex-wrap items-center gap-x-6 gap-y-3 px-4 py-8 text-label text-muted md:px-6 lg:px-8">
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
        <a className="link" href="mailto:suporte@bipe.example?subject=Ajuda">
          Ajuda
        </a>
        <span className="tabular-nums">v{VERSION}</span>
      </div>
    </footer>
  )
}
