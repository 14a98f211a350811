// "Atividade recente": what happened on the platform, newest first, pushed live.
import { useEffect, useRef, useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { activityQuery, type Activity } from '../../../api/admin'
import { relativeTime } from '../../../lib/dates'
import type { Status } from '../../../lib/labels'
import { useServerNow } from '../../../live/server-clock'
import { useIsLive } from '../../../live/status'
import { StatusBadge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { Card, CardHeader } from '../../../ui/card'
import { DataArea } from '../../../ui/data-area'
import { CancelledIcon, PaymentIcon, PendingIcon, SubscriptionIcon, UserIcon, type Icon } from '../../../ui/icons'
import { SkeletonLines } from '../../../ui/skeleton'

/** How many are shown at first, and how many more each time. */
export const ACTIVITY_STEP = 10
const MAX_SHOWN = 100
/** An entry says how long ago it happened. */
const AGES_EVERY_MS = 30_000

const types: Record<Activity['type'], { icon: Icon; label?: string }> = {
  subscription: { icon: SubscriptionIcon, label: 'Assinatura' },
  user: { icon: UserIcon, label: 'Usuário' },
  payment: { icon: PaymentIcon, label: 'Pagamento' },
  cancellation: { icon: CancelledIcon, label: 'Cancelamento' },
}

const statuses: Record<Activity['status'], Status> = {
  success: { label: 'Sucesso', tone: 'success' },
  warning: { label: 'Atenção', tone: 'warning' },
  error: { label: 'Erro', tone: 'danger' },
  info: { label: 'Informação', tone: 'info' },
}

export function ActivityList() {
  const [limit, setLimit] = useState(ACTIVITY_STEP)
  const query = useQuery(activityQuery(limit))
  const now = useServerNow(AGES_EVERY_MS)
  const isComing = query.isPlaceholderData
  const hasMore = isComing || ((query.data?.length ?? 0) >= limit && limit < MAX_SHOWN)
  const card = useRef<HTMLElement>(null)
  useEffect(() => {
    // The button goes with the last entries, and the focus with it. Who reads at the end of the list stays there.
    if (!hasMore && limit > ACTIVITY_STEP && document.activeElement === document.body)
      card.current?.querySelector('h2')?.focus({ preventScroll: true })
  }, [hasMore, limit])
  return (
    <Card ref={card}>
      <CardHeader title="Atividade recente" />
      <DataArea
        query={query}
        live={useIsLive()}
        errorTitle="Erro ao carregar atividade recente"
        skeleton={<SkeletonLines count={ACTIVITY_STEP} />}
        empty={{ icon: PendingIcon, text: 'Nenhuma atividade recente' }}
      >
        {(activities) => (
          <>
            <ul role="list" className="@container divide-y divide-line">
              {activities.map((activity) => (
                <Entry key={activity.id} activity={activity} now={now} />
              ))}
            </ul>
            {hasMore && (
              <Button
                variant="secondary"
                size="small"
                className="no-print mt-4"
                onClick={() => setLimit(limit + ACTIVITY_STEP)}
                busy={isComing && 'Carregando...'}
              >
                Ver mais
              </Button>
            )}
          </>
        )}
      </DataArea>
    </Card>
  )
}

function Entry({ activity, now }: { activity: Activity; now: number }) {
  const { type, status, message, timestamp } = activity
  const { icon: Glyph, label } = types[type] ?? { icon: PendingIcon }
  return (
    <li className="flex items-start gap-3 py-3 first:pt-0 last:pb-0 @md:items-center">
      <span className="grid size-8 shrink-0 place-items-center rounded-full bg-sunken text-muted" title={label}>
        <Glyph className="size-4" />
        <span className="sr-only">{label}:</span>
      </span>
      <div className="grid min-w-0 flex-1 gap-1 @md:flex @md:items-center @md:gap-3">
        <p className="min-w-0 flex-1 wrap-anywhere">{message}</p>
        <span className="flex shrink-0 items-center gap-3">
          <StatusBadge {...(statuses[status] ?? statuses.info)} />
          <time dateTime={timestamp} className="min-w-16 text-caption text-muted tabular-nums @md:text-right">
            {relativeTime(timestamp, now)}
          </time>
        </span>
      </div>
    </li>
  )
}
