// The lines of a price and their total, like the foot of a shipping label: what stands above the total adds up to it.
import { priceLineLabels } from '../lib/labels'
import { formatReais } from '../lib/money'

interface PriceLine {
  kind: keyof typeof priceLineLabels
  amount: number
}

interface PriceLinesProps {
  lines: readonly PriceLine[]
  totalLabel: string
  /** As text: it may have been put right since the lines were made. */
  total: string
}

export function PriceLines({ lines, totalLabel, total }: PriceLinesProps) {
  return (
    <div className="tear grid gap-2 pt-4">
      {lines.length > 0 && (
        <dl className="grid gap-2">
          {lines.map(({ kind, amount }) => (
            <div key={kind} className="flex items-baseline justify-between gap-4 enlarged:flex-wrap enlarged:gap-y-0">
              <dt className="text-muted">{priceLineLabels[kind] ?? kind}</dt>
              <dd className="tabular-nums">{formatReais(amount)}</dd>
            </div>
          ))}
        </dl>
      )}
      <div className="flex items-baseline justify-between gap-4 enlarged:flex-wrap enlarged:gap-y-0">
        <span className="caption-mono">{totalLabel}</span>
        <span className="text-h2 font-bold tabular-nums" aria-live="polite">
          {total}
        </span>
      </div>
    </div>
  )
}
