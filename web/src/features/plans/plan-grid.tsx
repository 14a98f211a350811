// The plan cards, built like shipping labels: caption, price, tear line, what is inside, one button at the bottom.
import type { Plan } from '../../api/plans'
import type { PlanChoice, Subscription } from '../../api/subscriptions'
import { formatDate } from '../../lib/dates'
import type { BillingCycle } from '../../lib/labels'
import { choiceFor, offerLines, type Choice, type CurrentPlan } from '../../lib/plans'
import { needsAction } from '../../live/subscription-state'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { cx } from '../../ui/cx'
import { CheckIcon } from '../../ui/icons'
import { PlanPrice } from '../../ui/plan-price'

const choiceLabels: Record<Choice, string> = {
  current: 'Plano Atual',
  contact: 'Entrar em Contato',
  subscribe: 'Assinar',
  upgrade: 'Fazer Upgrade',
  downgrade: 'Fazer Downgrade',
  cycle: 'Mudar Ciclo',
  other: 'Mudar Plano',
}

export interface PlanGridProps {
  plans: Plan[]
  cycle: BillingCycle
  /** Undefined where it is not known: then nothing is offered. */
  current: Subscription | null | undefined
  canManage: boolean
  /** The plan whose preview is under way. */
  choosing: string | null
  onChoose: (choice: PlanChoice) => void
  /** Takes a scheduled downgrade back; not there without a company, which alone can have one. */
  undo?: { run: () => void; busy: boolean }
  onContact: (plan: Plan) => void
}

export function PlanGrid({ plans, current, ...rest }: PlanGridProps) {
  const currentPlan = currentPlanOf(current, plans)
  const actsFirst = Boolean(current && needsAction(current))
  return (
    <ul role="list" className="grid grid-cols-[minmax(0,1fr)] gap-4 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4">
      {plans.map((plan) => (
        <PlanCard
          key={plan.id}
          plan={plan}
          current={currentPlan}
          offers={current !== undefined}
          actsFirst={actsFirst}
          scheduled={isScheduled(plan, rest.cycle, current) ? current.pendingChange.effectiveDate : null}
          {...rest}
        />
      ))}
    </ul>
  )
}

/**
 * An ended subscription, or one that waits for its first payment, is no current plan. The plan is compared as the
 * catalogue has it now; a plan that is no longer sold is known from the subscription alone.
 */
export function currentPlanOf(current: Subscription | null | undefined, plans: Plan[]): CurrentPlan | null {
  if (!current || current.status === 'expired' || current.status === 'pending') return null
  return { ...current, plan: plans.find(({ id }) => id === current.planId) ?? current.plan }
}

type Scheduled = Subscription & { pendingChange: NonNullable<Subscription['pendingChange']> }

/** Whether a downgrade to this plan in this cycle waits for the end of the period. */
function isScheduled(plan: Plan, cycle: BillingCycle, current: PlanGridProps['current']): current is Scheduled {
  const next = current?.pendingChange
  return next?.planId === plan.id && (plan.isFree || next.billingCycle === cycle)
}

/** A card that is left over below full rows is as wide as a row; below rows of four it lies on its side. */
const aloneInRow =
  'sm:max-lg:last:odd:col-span-full xl:last:nth-[4n+1]:col-span-full xl:last:nth-[4n+1]:row-span-1 xl:last:nth-[4n+1]:grid-rows-none xl:last:nth-[4n+1]:grid-cols-[minmax(0,3fr)_auto_minmax(0,5fr)_auto] xl:last:nth-[4n+1]:items-center xl:last:nth-[4n+1]:gap-8 xl:last:nth-[4n+1]:[&>p]:pt-0 xl:last:nth-[4n+1]:[&>ul]:block xl:last:nth-[4n+1]:[&>ul]:columns-2 xl:last:nth-[4n+1]:[&>ul]:border-0 xl:last:nth-[4n+1]:[&>ul]:pt-0 xl:last:nth-[4n+1]:[&>ul>li]:py-1'

type CardProps = Omit<PlanGridProps, 'plans' | 'current'> & {
  plan: Plan
  current: CurrentPlan | null
  offers: boolean
  /** The page's one primary button is the subscription's. */
  actsFirst: boolean
  /** When the plan takes the place of the current one. */
  scheduled: string | null
}

function PlanCard(props: CardProps) {
  const { plan, cycle, current, offers, actsFirst, scheduled, canManage, choosing, onChoose, onContact } = props
  const choice = choiceFor(plan, cycle, current)
  const isCurrent = current?.planId === plan.id
  const choose = () =>
    choice === 'contact'
      ? onContact(plan)
      : onChoose({ planId: plan.id, billingCycle: plan.isFree ? 'monthly' : cycle })
  const enabled = choice !== 'current' && (choice === 'contact' || canManage) && choosing === null
  return (
    <li
      className={cx(
        'row-span-4 grid min-w-0 grid-rows-subgrid rounded-card border bg-surface p-4 sm:p-5',
        plan.isPopular ? 'border-primary' : 'border-line',
        aloneInRow,
      )}
    >
      <header className="grid content-start gap-2">
        <div className="flex flex-wrap items-center gap-2">
          <h3 className="wrap-anywhere">{plan.displayName}</h3>
          {isCurrent && <Badge tone="success">Atual</Badge>}
          {plan.isPopular && <Badge tone="beam">Mais Popular</Badge>}
          {scheduled && <Badge tone="info">A partir de {formatDate(scheduled)}</Badge>}
        </div>
        <p className="wrap-anywhere text-muted">{plan.description}</p>
      </header>
      <PlanPrice plan={plan} cycle={cycle} />
      <ul role="list" className="tear grid content-start gap-2 pt-4">
        {offerLines(plan.limits, plan.features).map((feature, index) => (
          <li key={`${index} ${feature}`} className="flex gap-2">
            <CheckIcon className="mt-0.5 size-4 shrink-0 text-success" />
            <span className="min-w-0 wrap-anywhere">{feature}</span>
          </li>
        ))}
      </ul>
      {!offers ? null : scheduled ? (
        <Button
          variant="secondary"
          onClick={props.undo?.run}
          disabled={!canManage}
          busy={props.undo?.busy && 'Desfazendo...'}
          aria-label={`Desfazer mudança: ${plan.displayName}`}
        >
          Desfazer mudança
        </Button>
      ) : (
        <Button
          variant={isOffered(plan, choice) && !actsFirst ? 'primary' : 'secondary'}
          onClick={choose}
          disabled={!enabled}
          busy={choosing === plan.id && 'Calculando...'}
          aria-label={choice === 'current' ? undefined : `${choiceLabels[choice]}: ${plan.displayName}`}
        >
          {choiceLabels[choice]}
        </Button>
      )}
    </li>
  )
}

/** The page's one filled button: the plan that most take, and never to somebody who has more already. */
function isOffered({ isPopular }: Plan, choice: Choice): boolean {
  return isPopular && (choice === 'subscribe' || choice === 'upgrade')
}
