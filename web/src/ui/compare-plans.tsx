// 'Comparar planos', on the page of the plans and on the landing page: what each plan costs in the chosen cycle, what it
// allows and what is in it, side by side. Opened on demand; on narrow screens the table scrolls inside its frame and the
// first column stays.
import { useId, useState } from 'react'
import { formatCount } from '../lib/decimal'
import { billingCycleLabels, type BillingCycle } from '../lib/labels'
import { formatReais } from '../lib/money'
import { allFeatures, cyclePrice, isContactSales, UNLIMITED, type Limits, type Prices } from '../lib/plans'
import { Button } from './button'
import { cx } from './cx'
import { CheckIcon, DownIcon } from './icons'

/** What a comparison needs of a plan of the catalogue. */
interface Plan extends Prices {
  id: string
  displayName: string
  features: readonly string[]
  limits: Limits
}

export function ComparePlans({ plans, cycle }: { plans: Plan[]; cycle: BillingCycle }) {
  const [open, setOpen] = useState(false)
  const id = useId()
  if (plans.length < 2) return null
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <Button
        variant="ghost"
        className="justify-self-center"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        Comparar planos
        <DownIcon className={cx('transition-transform duration-120', open && 'rotate-180')} />
      </Button>
      <div id={id} hidden={!open}>
        {open && <Comparison plans={plans} cycle={cycle} />}
      </div>
    </div>
  )
}

const cell = 'px-4 py-3 align-top'
const first =
  'sticky left-0 w-38 min-w-38 bg-surface px-4 py-3 text-left align-top font-medium wrap-anywhere sm:w-56 sm:min-w-56 xl:w-72 xl:min-w-72'

function Comparison({ plans, cycle }: { plans: Plan[]; cycle: BillingCycle }) {
  const included = new Map(plans.map((plan) => [plan, allFeatures(plan, plans)]))
  const features = [...new Set([...included.values()].flat())]
  return (
    // Focusable, so that the keyboard can scroll it too; positioned, so that hidden words in it widen no page.
    <section
      aria-label="Comparação de planos"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      className="relative overflow-x-auto rounded-card border border-line bg-surface"
    >
      <table className="w-full border-collapse text-left tabular-nums">
        <caption className="sr-only">Comparação de planos, cobrança {billingCycleLabels[cycle].toLowerCase()}</caption>
        <thead>
          <tr className="border-b border-line">
            <td className={cx(first, 'text-label text-muted')}>{billingCycleLabels[cycle]}</td>
            {plans.map((plan) => (
              <th key={plan.id} scope="col" className={cx(cell, 'min-w-32 font-semibold wrap-anywhere')}>
                {plan.displayName}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Row label="Preço" plans={plans} of={(plan) => priceText(plan, cycle)} />
          <Row label="Usuários" plans={plans} of={({ limits }) => limitText(limits.maxUsers, 'Ilimitados')} />
          <Row label="Bipagens por mês" plans={plans} of={({ limits }) => limitText(limits.maxBeeping, 'Ilimitadas')} />
          {features.map((feature) => (
            <Row
              key={feature}
              label={feature}
              plans={plans}
              of={(plan) => included.get(plan)?.includes(feature) ?? false}
            />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Row({ label, plans, of }: { label: string; plans: Plan[]; of: (plan: Plan) => string | boolean }) {
  return (
    <tr className="border-b border-line last:border-b-0">
      <th scope="row" className={first}>
        {label}
      </th>
      {plans.map((plan) => {
        const value = of(plan)
        return (
          <td key={plan.id} className={cell}>
            {typeof value === 'string' ? value : <Included yes={value} />}
          </td>
        )
      })}
    </tr>
  )
}

function Included({ yes }: { yes: boolean }) {
  return (
    <>
      {yes ? <CheckIcon className="mt-0.5 size-4 text-success" /> : <span aria-hidden="true">–</span>}
      <span className="sr-only">{yes ? 'Incluído' : 'Não incluído'}</span>
    </>
  )
}

function priceText(plan: Plan, cycle: BillingCycle): string {
  if (plan.isFree) return 'Grátis'
  return isContactSales(plan, cycle) ? 'Sob consulta' : formatReais(cyclePrice(plan, cycle))
}

function limitText(limit: number, unlimited: string): string {
  return limit === UNLIMITED ? unlimited : formatCount(limit)
}
