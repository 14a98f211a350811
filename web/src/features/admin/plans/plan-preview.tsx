// How the plan will look to a company, while it is being written: built like the label cards of the plans page.
import { formatReais } from '../../../lib/money'
import { offerLines } from '../../../lib/plans'
import { Badge } from '../../../ui/badge'
import { CheckIcon } from '../../../ui/icons'
import { isFree, slugOf, type PlanForm } from './plan-draft'

export function PlanPreview({ form }: { form: PlanForm }) {
  const { displayName, description, isPopular, features, limits } = form
  return (
    <section
      aria-label="Como as empresas verão"
      className="grid grid-cols-[minmax(0,1fr)] gap-3 rounded-card border border-line bg-bg p-4"
    >
      <header className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
        <span className="caption-mono truncate normal-case">{slugOf(displayName) || 'slug-do-plano'}</span>
        <div className="flex flex-wrap items-center gap-2">
          <h3 className="wrap-anywhere">{displayName.trim() || 'Nome do plano'}</h3>
          {isPopular && <Badge tone="beam">Mais Popular</Badge>}
        </div>
        {description.trim() && <p className="wrap-anywhere text-muted">{description}</p>}
      </header>
      <Price form={form} />
      <ul role="list" className="tear grid gap-1.5 pt-3">
        {offerLines(limits, features.map(({ text }) => text.trim()).filter(Boolean)).map((line, index) => (
          <li key={`${index} ${line}`} className="flex items-start gap-2">
            <CheckIcon className="mt-0.5 size-4 shrink-0 text-success" />
            <span className="min-w-0 wrap-anywhere">{line}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Price({ form }: { form: PlanForm }) {
  if (isFree(form)) return <p className="text-h2 font-bold">Grátis para sempre</p>
  if (form.monthlyPrice === 0) return <p className="text-h2 font-bold">Entrar em Contato</p>
  return (
    <p className="tabular-nums">
      <span className="text-price font-bold">
        {form.monthlyPrice === null ? 'R$ —' : formatReais(form.monthlyPrice)}
      </span>
      <span className="text-muted"> /mês</span>
    </p>
  )
}
