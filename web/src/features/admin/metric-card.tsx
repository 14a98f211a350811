// One number of the business: value, change with arrow, sign and words, its definition. A value that is not defined is
// a dash with its reason, never 0.
import type { CSSProperties, ReactNode } from 'react'
import type { Metric, MetricName } from '../../api/admin'
import { useChanged } from '../../ui/use-changed'
import { cx } from '../../ui/cx'
import { figureWidth } from '../../ui/figure-width'
import { DownRightIcon, FlatIcon, HelpIcon, UpRightIcon } from '../../ui/icons'
import { Popover } from '../../ui/popover'
import { deltaOf, formatMetric, metricSpecs, readPeriod, reasonText, shortMetric, type Delta } from './metrics'

const tones: Record<Delta['tone'], string> = { good: 'text-success', bad: 'text-danger', neutral: 'text-muted' }
const arrows = { up: UpRightIcon, down: DownRightIcon, flat: FlatIcon }

export interface MetricCardProps {
  name: MetricName
  label: string
  metric: Metric
  /** Beside the value: a sparkline. */
  aside?: ReactNode
  /** Under an undefined value: how to define it. */
  action?: ReactNode
  className?: string
}

export function MetricCard({ name, label, metric, aside, action, className }: MetricCardProps) {
  const { kind, definition } = metricSpecs[name]
  const value = metric.value ?? null
  const changed = useChanged(value)
  return (
    <li
      data-live={changed ? 'changed' : undefined}
      className={cx('@container flex min-w-0 flex-col gap-1 rounded-card border border-line bg-surface p-4', className)}
    >
      <div className="flex min-h-6 items-center justify-between gap-2">
        <span className="text-label text-muted">{label}</span>
        <Definition label={label} text={definition} value={value === null ? null : formatMetric(kind, value)} />
      </div>
      <div className="flex min-h-9 items-end justify-between gap-3">
        {value === null ? (
          <span className="text-h2 font-bold">—</span>
        ) : (
          <Value text={shortMetric(kind, value)} title={formatMetric(kind, value)} />
        )}
        {aside}
      </div>
      {value === null ? (
        <p className="text-caption text-muted">{reasonText(name, metric.reason)}</p>
      ) : (
        <Change name={name} metric={metric} />
      )}
      {action}
    </li>
  )
}

/** On a narrow card as small as it must be to fit. */
function Value({ text, title }: { text: string; title: string }) {
  return (
    <span
      className="text-[length:clamp(var(--text-body),calc(100cqi/var(--width)),var(--text-h2))]/[1.875rem] font-bold whitespace-nowrap tabular-nums"
      style={{ '--width': figureWidth(text) } as CSSProperties}
      title={title}
    >
      {text}
    </span>
  )
}

/** By the period of the figure itself: while another one is asked for, the card still shows the one before. */
function Change({ name, metric }: Pick<MetricCardProps, 'name' | 'metric'>) {
  const change = deltaOf(name, metric, readPeriod(metric.period))
  if (change === null) return <p className="text-caption text-muted">Sem período anterior para comparar</p>
  const Arrow = arrows[change.direction]
  return (
    <p className={cx('flex items-start gap-1 text-caption font-medium tabular-nums', tones[change.tone])}>
      <Arrow className="size-4 shrink-0" />
      {change.text}
    </p>
  )
}

/** Also for fingers and keys, from which a tooltip alone would hide it; so it would the whole of a shortened value. */
function Definition({ label, text, value }: { label: string; text: string; value: string | null }) {
  return (
    <Popover
      narrow
      label={`O que é ${label}`}
      trigger={
        <button
          type="button"
          aria-label={`O que é ${label}`}
          title={text}
          className="-m-1 grid size-7 shrink-0 place-items-center rounded-control text-muted hover:bg-sunken hover:text-text"
        >
          <HelpIcon className="size-4" />
        </button>
      }
    >
      <p className="font-medium tabular-nums">{value === null ? label : `${label}: ${value}`}</p>
      <p className="mt-1 text-muted">{text}</p>
    </Popover>
  )
}
