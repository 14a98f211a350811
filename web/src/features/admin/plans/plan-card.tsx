// A plan as the platform admin sees it in the catalogue: prices, first features, its active
// subscriptions, edit and on/off.
import { useRef, useState } from 'react'
import type { AdminPlan } from '../../../api/admin'
import { counted } from '../../../lib/labels'
import { formatReais } from '../../../lib/money'
import { Badge, StatusBadge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { focusPage } from '../../../ui/focus-heading'
import { CheckIcon } from '../../../ui/icons'
import { usePassFocus } from '../../../ui/use-pass-focus'

const SHOWN_FEATURES = 3

interface PlanCardProps {
  plan: AdminPlan
  /** Just saved: the beam sweeps over it. */
  isConfirmed: boolean
  onEdit: () => void
  onToggle: () => void
}

export function PlanCard({ plan, isConfirmed, onEdit, onToggle }: PlanCardProps) {
  const { name, displayName, isPopular, status, activeSubscriptions, hierarchy } = plan
  const active = status === 'active'
  const card = useRef<HTMLLIElement>(null)
  // Switched on or off, a plan leaves the list of the others.
  usePassFocus(card, focusPage)
  return (
    <li
      ref={card}
      data-bipe={isConfirmed ? '' : undefined}
      className="flex min-w-0 flex-col gap-4 rounded-card border border-line bg-surface p-5"
    >
      <header className="grid grid-cols-[minmax(0,1fr)] gap-2">
        <p className="flex items-baseline justify-between gap-3">
          <span className="min-w-0 truncate font-mono text-caption text-muted">{name}</span>
          <span className="shrink-0 text-label text-muted tabular-nums">Nível {hierarchy}</span>
        </p>
        <h2 className="text-h3 wrap-anywhere">{displayName}</h2>
        <div className="flex min-h-6 flex-wrap items-center gap-1.5">
          <StatusBadge tone={active ? 'success' : 'neutral'} label={active ? 'Ativo' : 'Inativo'} />
          {isPopular && <Badge tone="beam">Popular</Badge>}
        </div>
      </header>
      <Prices plan={plan} />
      <Features features={plan.features} />
      <p className="mt-auto text-label text-muted tabular-nums">
        {counted(activeSubscriptions, 'assinatura ativa', 'assinaturas ativas', 'Nenhuma')}
      </p>
      <div className="flex gap-2">
        <Button variant="secondary" className="flex-1" aria-label={`Editar ${displayName}`} onClick={onEdit}>
          Editar
        </Button>
        <Button
          variant="secondary"
          className="flex-1"
          aria-label={`${active ? 'Desativar' : 'Ativar'} ${displayName}`}
          onClick={onToggle}
        >
          {active ? 'Desativar' : 'Ativar'}
        </Button>
      </div>
    </li>
  )
}

function Prices({ plan }: { plan: AdminPlan }) {
  const prices = [
    ['Mensal', plan.monthlyPrice],
    ['Trimestral', plan.quarterlyPrice],
    ['Anual', plan.yearlyPrice],
  ] as const
  const word = plan.isFree ? 'Grátis' : 'Sob consulta'
  return (
    <dl className="tear grid gap-1 pt-3">
      {prices.map(([label, price]) => (
        <div key={label} className="flex items-baseline justify-between gap-3">
          <dt className="text-muted">{label}</dt>
          <dd className="font-medium tabular-nums">{price === 0 ? word : formatReais(price)}</dd>
        </div>
      ))}
    </dl>
  )
}

function Features({ features }: { features: readonly string[] }) {
  const [all, setAll] = useState(false)
  const hidden = features.length - SHOWN_FEATURES
  return (
    <div className="tear grid gap-2 pt-3">
      <ul role="list" className="grid gap-1.5">
        {(all ? features : features.slice(0, SHOWN_FEATURES)).map((feature, index) => (
          <li key={`${index} ${feature}`} className="flex items-start gap-2">
            <CheckIcon className="mt-0.5 size-4 shrink-0 text-success" />
            <span className="min-w-0 wrap-anywhere">{feature}</span>
          </li>
        ))}
      </ul>
      {hidden > 0 && (
        <button
          type="button"
          className="link min-h-6 justify-self-start text-label"
          aria-expanded={all}
          onClick={() => setAll(!all)}
        >
          {all ? 'Mostrar menos' : hidden === 1 ? '+1 recurso' : `+${hidden} recursos`}
        </button>
      )}
    </div>
  )
}
