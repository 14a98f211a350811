// The frame of a legal text: version and date, print style, and the mark that it is a model to be replaced.
import { Link } from 'react-router'
import { paths } from '../../lib/paths'
import { formatDate } from '../../lib/dates'
import { Alert } from '../../ui/alert'
import { Brand } from '../../ui/brand'
import { LegalFooter } from '../../ui/legal-footer'
import { usePageTitle } from '../../ui/page'

export interface LegalPageProps {
  title: string
  version: string
  /** `YYYY-MM-DD`. */
  date: string
  /** The paragraphs of each section, by its title. */
  sections: Record<string, readonly string[]>
}

export function LegalPage({ title, version, date, sections }: LegalPageProps) {
  usePageTitle(title)
  return (
    <div className="mx-auto grid max-w-[720px] gap-8 px-4 py-8 md:py-12">
      <header className="no-print">
        <Link reloadDocument to={paths.landing} aria-label="Bipe, página inicial" className="rounded-control">
          <Brand />
        </Link>
      </header>
      <main className="grid gap-8 text-reading">
        <div className="grid gap-2">
          <h1 tabIndex={-1}>{title}</h1>
          <p className="text-body text-muted tabular-nums">
            Versão {version}, de {formatDate(date)}
          </p>
        </div>
        <Alert tone="info">
          Este texto é um modelo e deve ser substituído pela versão aprovada pelo jurídico da empresa antes do uso em
          produção.
        </Alert>
        {Object.entries(sections).map(([heading, paragraphs], index) => (
          <section key={heading} className="grid gap-3">
            <h2 className="text-h3">
              {index + 1}. {heading}
            </h2>
            {paragraphs.map((paragraph) => (
              <p key={paragraph} className="max-w-[68ch]">
                {paragraph}
              </p>
            ))}
          </section>
        ))}
      </main>
      <LegalFooter className="no-print border-t border-line pt-6" />
    </div>
  )
}
