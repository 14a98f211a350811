// The frame of a legal text: version and date, print style, and the server's settings where the text names them.
import { Fragment, type ReactNode } from 'react'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { configQuery } from '../../api/config'
import { formatDate } from '../../lib/dates'
import { issuerLine, missingIssuer } from '../../lib/issuer'
import { paths } from '../../lib/paths'
import { Alert } from '../../ui/alert'
import { Brand } from '../../ui/brand'
import { DataArea, settlesFirst } from '../../ui/data-area'
import { LegalFooter } from '../../ui/legal-footer'
import { usePageTitle } from '../../ui/page'
import { SkeletonLines } from '../../ui/skeleton'
import { SkipLink } from '../../ui/skip-link'

interface LegalPageProps {
  title: string
  version: string
  /** `YYYY-MM-DD`. */
  date: string
  /**
   * The paragraphs of each section, by its title. `{empresa}`, `{email}` and `{idade}` stand for the
   * server's settings.
   */
  sections: Record<string, readonly string[]>
}

export function LegalPage({ title, version, date, sections }: LegalPageProps) {
  usePageTitle(title)
  return (
    <div className="mx-auto flex min-h-dvh max-w-[720px] flex-col gap-8 px-4 py-8 md:py-12">
      <SkipLink />
      <header className="no-print">
        <Link reloadDocument to={paths.landing} aria-label="Bipe, página inicial" className="rounded-control">
          <Brand />
        </Link>
      </header>
      <main id="content" tabIndex={-1} className={`grid gap-8 text-reading ${settlesFirst}`}>
        <div className="grid gap-2">
          <h1 tabIndex={-1}>{title}</h1>
          <p className="text-body text-muted tabular-nums">
            Versão {version}, de {formatDate(date)}
          </p>
        </div>
        {Object.entries(sections).map(([heading, paragraphs], index) => (
          // On paper no heading stays alone at the foot of a page.
          <section key={heading} className={`grid break-inside-avoid gap-3 ${settlesFirst}`}>
            <h2 className="text-h3">
              {index + 1}. {heading}
            </h2>
            {paragraphs.map((paragraph) =>
              paragraph.includes('{') ? (
                <FilledParagraph key={paragraph} text={paragraph} />
              ) : (
                <p key={paragraph} className="max-w-[68ch]">
                  {paragraph}
                </p>
              ),
            )}
          </section>
        ))}
      </main>
      <LegalFooter className="no-print mt-auto border-t border-line pt-6" />
    </div>
  )
}

/** A paragraph that says who is behind the text, or from which age on it is for. */
function FilledParagraph({ text }: { text: string }) {
  const config = useQuery(configQuery())
  const namesCompany = text.includes('{empresa}')
  return (
    <DataArea
      live
      className={settlesFirst}
      query={config}
      errorTitle={namesCompany ? 'Erro ao carregar os dados da empresa' : 'Erro ao carregar a idade mínima'}
      skeleton={<SkeletonLines count={2} />}
    >
      {({ issuer, salesEmail, helpEmail = salesEmail, minAge, environment }) => {
        const company = issuerLine(issuer)
        const email = (
          <a className="wrap-anywhere underline" href={`mailto:${helpEmail}`}>
            {helpEmail}
          </a>
        )
        return namesCompany && company === null ? (
          <Alert tone="warning">
            {missingIssuer(environment)} Contato: {email}
          </Alert>
        ) : (
          <p className="max-w-[68ch]">{filled(text, { '{empresa}': company, '{email}': email, '{idade}': minAge })}</p>
        )
      }}
    </DataArea>
  )
}

function filled(text: string, values: Record<string, ReactNode>): ReactNode {
  return text.split(/(\{[a-z]+\})/).map((part) => <Fragment key={part}>{values[part] ?? part}</Fragment>)
}
