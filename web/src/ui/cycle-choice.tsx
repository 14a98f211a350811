// The choice of a billing cycle, with what each one saves.
import { billingCycleLabels, type BillingCycle } from '../lib/labels'
import { CYCLES, cycleLabel, type Prices } from '../lib/plans'
import { Badge } from './badge'
import { Segmented } from './segmented'

interface CycleChoiceProps {
  plans: readonly Prices[]
  cycle: BillingCycle
  onCycle: (cycle: BillingCycle) => void
  className?: string
}

export function CycleChoice({ plans, cycle, onCycle, className }: CycleChoiceProps) {
  const options = CYCLES.map((value) => {
    const label = cycleLabel(plans, value)
    return { value, label: billingCycleLabels[value], note: label && <Badge tone="beam">{label}</Badge> }
  })
  return (
    <Segmented legend="Ciclo de cobrança" value={cycle} onChange={onCycle} options={options} className={className} />
  )
}
