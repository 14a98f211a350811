// The cards of a page's numbers, moving live.
import type { Metrics } from '../../api/admin'
import { useIsLive } from '../../live/status'
import { cx } from '../../ui/cx'
import { DataArea, settlesFirst, type AreaQuery } from '../../ui/data-area'
import { Skeleton } from '../../ui/skeleton'
import { MetricCard, type MetricCardProps } from './metric-card'

interface MetricCardsProps {
  query: AreaQuery<Metrics>
  errorTitle: string
  cards: readonly Omit<MetricCardProps, 'metric'>[]
  /** The columns of a wide screen. */
  className: string
}

export function MetricCards({ query, errorTitle, cards, className }: MetricCardsProps) {
  const grid = cx('grid grid-cols-1 gap-3 min-[420px]:grid-cols-2 sm:gap-4', className)
  const skeleton = (
    <div className={grid}>
      {cards.map((card) => (
        <Skeleton key={card.name} className={cx('h-29.5', card.className)} />
      ))}
    </div>
  )
  return (
    <section aria-label="Métricas" className={settlesFirst}>
      <DataArea query={query} live={useIsLive()} errorTitle={errorTitle} skeleton={skeleton}>
        {(metrics) => (
          <ul role="list" className={grid}>
            {cards.map((card) => (
              <MetricCard key={card.name} metric={metrics[card.name]} {...card} />
            ))}
          </ul>
        )}
      </DataArea>
    </section>
  )
}
