// What the product does for a parcel distribution point.
import { CatalogIcon, ScanIcon, TransactionsIcon, WarningIcon, type Icon } from '../../ui/icons'

const parts: { icon: Icon; title: string; text: string }[] = [
  {
    icon: WarningIcon,
    title: 'Rastreio de produtos perdidos',
    text: 'Cada pacote tem uma última leitura: quem bipou, onde e quando. O que sumiu aparece antes da reclamação.',
  },
  {
    icon: ScanIcon,
    title: 'Bipe de entrada, saída e entrega',
    text: 'Três leituras contam a história inteira do pacote, do recebimento à porta do cliente.',
  },
  { icon: CatalogIcon, title: 'Contêineres', text: 'Agrupe pacotes em sacas e gaiolas e bipe todos de uma vez.' },
  {
    icon: TransactionsIcon,
    title: 'Integração com marketplaces',
    text: 'Os pedidos chegam prontos para conferir, sem planilha no meio.',
  },
]

export function Solution() {
  return (
    <section id="solucao" className="mx-auto grid max-w-[1200px] gap-8 px-4 py-16 md:px-6 lg:px-8 lg:py-24">
      <h2 className="max-w-[32ch] text-h1">Para pontos de distribuição que não podem perder pacote</h2>
      <ul role="list" className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
        {parts.map(({ icon: Glyph, title, text }) => (
          <li key={title} className="grid content-start gap-3 rounded-card border border-line bg-surface p-5">
            <Glyph className="size-6 text-primary" strokeWidth={1.75} aria-hidden="true" />
            <h3>{title}</h3>
            <p className="text-muted">{text}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}
