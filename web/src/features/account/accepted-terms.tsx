// The documents that every account accepted at sign-up. Version, time and address of each acceptance are in the export.
import { legalPages } from '../../lib/paths'
import { Card, CardHeader } from '../../ui/card'
import { ExternalIcon } from '../../ui/icons'

export function AcceptedTerms() {
  return (
    <Card>
      <CardHeader title="Consentimentos">
        Documentos aceitos no cadastro. Versão, data e endereço de cada aceite estão no arquivo de &quot;Baixar meus
        dados&quot;.
      </CardHeader>
      <ul role="list" className="grid gap-2">
        {legalPages.map(({ path, label }) => (
          <li key={path}>
            <a className="link inline-flex items-center gap-1.5" href={path} target="_blank" rel="noopener noreferrer">
              {label}
              <ExternalIcon className="size-4" />
              <span className="sr-only"> (abre em nova aba)</span>
            </a>
          </li>
        ))}
      </ul>
    </Card>
  )
}
