// Legal pages, help and the version.
import { Link } from 'react-router'
import { paths } from '../../app/paths'
import { VERSION } from '../../lib/version'
import { Brand } from '../../ui/brand'

export function LandingFooter() {
  return (
    <footer id="ajuda" className="border-t border-line">
      <div className="mx-auto flex max-w-[1200px] flex-wrap items-center gap-x-6 gap-y-3 px-4 py-8 text-label text-muted md:px-6 lg:px-8">
        <Brand size={24} className="mr-auto text-text" />
        <Link className="link" to={paths.terms}>
          Termos Legais
        </Link>
        <Link className="link" to={paths.privacy}>
          Política de Privacidade
        </Link>
        <Link className="link" to={paths.lgpd}>
          Termos LGPD
        </Link>
        <a className="link" href="mailto:suporte@bipe.example?subject=Ajuda">
          Ajuda
        </a>
        <span className="tabular-nums">v{VERSION}</span>
      </div>
    </footer>
  )
}
