// The price block of a plan card, on the landing page and among the plans: per month, what is charged, what it saves.
import type { BillingCycle } from '../lib/labels'
import { formatReais } from '../lib/money'
import { CYCLE_MONTHS, cyclePrice, savingOf, type Prices } from '../lib/plans'
import { cx } from './cx'

const charged: Record<BillingCycle, string> = { monthly: '', quarterly: 'por trimestre', yearly: 'por ano' }

/** On the line of the larger numbers beside it. */
const worded = 'pt-1.5 text-h2 font-bold'

/** `compact` is for cards narrower than those among the plans. */
export function PlanPrice({ plan, cycle, compact }: { plan: Prices; cycle: BillingCycle; compact?: boolean }) {
  if (plan.isFree) return <p className={worded}>Grátis para sempre</p>
  const saving = savingOf(plan, cycle)
  if (saving === null) return <p className={worded}>Entrar em Contato</p>
  return (
    <div className="grid gap-1">
      <p className="tabular-nums">
        <span className={cx('font-bold whitespace-nowrap', compact ? 'text-h1' : 'text-price')}>
          {formatReais(saving.perMonth)}
        </span>
        <span className="text-muted"> /mês</span>
      </p>
      {CYCLE_MONTHS[cycle] > 1 && (
        <p className="text-label text-muted tabular-nums">
          cobrado {formatReais(cyclePrice(plan, cycle))} {charged[cycle]}
        </p>
      )}
      {saving.saving > 0 && (
        <p className="text-label font-medium text-success tabular-nums">
          Economize {formatReais(saving.saving)} ({saving.percent}%)
        </p>
      )}
    </div>
  )
}
