// The five states of every data area: loading, empty, error, forbidden, ready (perhaps stale). A screen that
// shows server data uses this, so that no state is forgotten. Refetching keeps the old data in place.
import { startTransition, useEffect, useRef, useState, type ReactNode } from 'react'
import { isFailure } from '../lib/failure'
import { announce } from './announcer'
import { Button } from './button'
import { cx } from './cx'
import { sentenceAt, useRetrySeconds } from './failure-alert'
import { FailureDetails } from './failure-details'
import { leaveToHeading } from './focus-heading'
import { ErrorIcon, LockIcon, type Icon } from './icons'
import { followsPageShape } from './skeleton'
import { useAnnounceFailure } from './use-announce-failure'

const SKELETON_AFTER_MS = 150
const SKELETON_FOR_MS = 300
const HELD_BACK_FOR_MS = 3_000
const MINUTE_MS = 60_000

/**
 * For an area whose height depends on what it shows, or the card around it: what stands below is not seen until the
 * area has settled, so that nothing moves that is already seen. An area that takes long holds nothing back any more.
 */
export const settlesFirst = 'data-unsettled:[&~*]:invisible has-data-unsettled:[&~*]:invisible'

/** The part of a query result that matters here. */
export interface AreaQuery<T> {
  data: T | undefined
  error: Error | null
  isPending: boolean
  isFetching: boolean
  dataUpdatedAt: number
  refetch: () => unknown
}

interface EmptyContent {
  icon: Icon
  /** What is missing before there can be data at all. */
  title?: string
  text?: ReactNode
  action?: ReactNode
  className?: string | undefined
}

interface DataAreaProps<T> {
  query: AreaQuery<T>
  /** The sentence of a failure of this area, e.g. 'Erro ao carregar empresa'. */
  errorTitle: string
  skeleton: ReactNode
  /** Shown instead of data that `isEmpty`, which a list without entries is anyway. */
  empty?: EmptyContent
  isEmpty?: (data: T) => boolean
  /** Fed by the live connection: then data does not grow old. */
  live?: boolean
  className?: string
  children: (data: T) => ReactNode
}

export function DataArea<T>({
  query,
  errorTitle,
  skeleton,
  empty,
  isEmpty = isEmptyList,
  live,
  className,
  children,
}: DataAreaProps<T>) {
  const { data, error, isFetching } = query
  const phase = useSkeletonPhase(query.isPending)
  const isRead = data !== undefined
  useAnnounceFailure(errorTitle, phase === 'done' && !isRead && !isForbidden(error), isRead)
  if (phase !== 'done') {
    return (
      <LoadingArea unsettled={phase !== 'late'} className={cx(className, phase === 'waiting' && 'invisible')}>
        {skeleton}
      </LoadingArea>
    )
  }
  if (data === undefined) {
    return (
      <FailedArea title={errorTitle} error={error} onRetry={query.refetch} busy={isFetching} className={className} />
    )
  }
  return (
    <div className={cx('relative', className)} aria-busy={isFetching || undefined}>
      {isFetching && <ProgressLine />}
      {empty && isEmpty(data) ? <EmptyArea {...empty} /> : children(data)}
      {!live && !isFetching && <StaleNote updatedAt={query.dataUpdatedAt} />}
    </div>
  )
}

function isEmptyList(data: unknown): boolean {
  return Array.isArray(data) && data.length === 0
}

interface LoadingAreaProps {
  className?: string
  unsettled?: boolean
  children?: ReactNode
}

/** The loading state, also where what to ask for is not known yet. */
export function LoadingArea({ className, unsettled, children }: LoadingAreaProps) {
  return (
    <div aria-busy="true" data-unsettled={unsettled || undefined} className={className}>
      <span className="sr-only">Carregando...</span>
      {children}
    </div>
  )
}

type Phase = 'waiting' | 'shown' | 'late' | 'done'

/** Whether what stands below still has to wait for this answer. */
export function useUnsettled(isPending: boolean): boolean {
  const phase = useSkeletonPhase(isPending)
  return phase === 'waiting' || phase === 'shown'
}

/**
 * A skeleton appears after 150 ms and stays for at least 300 ms, so that fast answers do not flicker. After
 * HELD_BACK_FOR_MS more the phase is `late`: what stands below is shown and no longer waits. A skeleton that replaces
 * the page's own skeleton has no minimum time.
 */
function useSkeletonPhase(isPending: boolean): Phase {
  const [phase, setPhase] = useState<Phase>(() => (!isPending ? 'done' : followsPageShape() ? 'shown' : 'waiting'))
  const shownAt = useRef(0)
  if (isPending && phase === 'done') setPhase('waiting')
  useEffect(() => {
    if (isPending && phase === 'waiting') {
      const timer = setTimeout(() => {
        shownAt.current = Date.now()
        setPhase('shown')
      }, SKELETON_AFTER_MS)
      return () => clearTimeout(timer)
    }
    if (isPending && phase === 'shown') {
      const timer = setTimeout(() => setPhase('late'), HELD_BACK_FOR_MS)
      return () => clearTimeout(timer)
    }
    if (!isPending && phase !== 'done') {
      // In a transition: a list is rendered in pieces, between which the page answers.
      const left = phase === 'shown' ? shownAt.current + SKELETON_FOR_MS - Date.now() : 0
      const timer = setTimeout(() => startTransition(() => setPhase('done')), Math.max(0, left))
      return () => clearTimeout(timer)
    }
    return undefined
  }, [isPending, phase])
  return phase
}

function ProgressLine() {
  return (
    <div className="absolute inset-x-0 -top-1 h-0.5 overflow-hidden rounded-full" aria-hidden="true">
      <div className="h-full w-1/4 animate-progress rounded-full bg-primary" />
    </div>
  )
}

/** From a minute on. */
function StaleNote({ updatedAt }: { updatedAt: number }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), MINUTE_MS / 4)
    return () => clearInterval(timer)
  }, [])
  const minutes = Math.floor((now - updatedAt) / MINUTE_MS)
  return minutes < 1 ? null : <p className="mt-2 text-caption text-muted">Atualizado há {minutes} min</p>
}

const centred = 'grid justify-items-center gap-3 px-4 py-10 text-center [&_p]:text-balance'

export function EmptyArea({ icon: Glyph, title, text, action, className }: EmptyContent) {
  return (
    <div className={cx(centred, className)}>
      <Glyph className="size-8 text-muted" strokeWidth={1.5} />
      <div className="grid max-w-[48ch] gap-1">
        {title && <p className="font-semibold">{title}</p>}
        {text && <p className="text-muted">{text}</p>}
      </div>
      {action}
    </div>
  )
}

interface FailedAreaProps {
  title: string
  error: Error | null
  /** Repeats the call. Resolves to one result or an array; a result with an `error` failed again. */
  onRetry?: () => unknown
  busy?: boolean
  className?: string | undefined
}

/** The error and the forbidden state. */
export function FailedArea({ title, error, onRetry, busy, className }: FailedAreaProps) {
  const failure = isFailure(error) ? error : undefined
  const wait = useRetrySeconds(failure)
  /** The retried content replaces this area: the focus moves to the heading, and a new failure is announced. */
  const retry = async (button: Element) => {
    leaveToHeading(button)
    if ([await onRetry?.()].flat().some(hasFailed)) announce(title)
  }
  if (isForbidden(error)) return <ForbiddenArea className={className} />
  return (
    <div className={cx(centred, className)}>
      <ErrorIcon className="size-8 text-danger" strokeWidth={1.5} />
      <div className="grid gap-1">
        <p className="font-semibold">{title}</p>
        {failure && <p className="text-muted tabular-nums">{sentenceAt(failure, wait)}</p>}
      </div>
      {onRetry && (
        <Button
          variant="secondary"
          onClick={({ currentTarget }) => void retry(currentTarget)}
          disabled={wait > 0}
          busy={busy ? 'Carregando...' : undefined}
        >
          Tentar Novamente
        </Button>
      )}
      {failure && <FailureDetails code={failure.code} requestId={failure.requestId} />}
    </div>
  )
}

function isForbidden(error: Error | null): boolean {
  return isFailure(error) && error.code === 'FORBIDDEN'
}

function hasFailed(outcome: unknown): boolean {
  return typeof outcome === 'object' && outcome !== null && 'error' in outcome && outcome.error !== null
}

export function ForbiddenArea({ className }: { className?: string | undefined }) {
  return (
    <EmptyArea
      icon={LockIcon}
      title="Você não tem permissão para esta ação"
      text="Fale com um administrador da empresa"
      className={className}
    />
  )
}
