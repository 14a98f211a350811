// From page to page of a list: beside each other with where one is, or under each other.
import { useState } from 'react'
import { formatCount } from '../lib/decimal'
import { isFailure } from '../lib/failure'
import { Button, type ButtonProps } from './button'
import { cx } from './cx'
import { FailureAlert, useRetrySeconds } from './failure-alert'

interface PagerProps {
  page: number
  total: number
  limit: number
  onPage: (page: number) => void
}

export function Pager({ page, total, limit, onPage }: PagerProps) {
  const pages = Math.max(1, Math.ceil(total / limit))
  if (pages === 1 && page === 1) return null
  return (
    <nav aria-label="Páginas" className="flex items-center justify-between gap-3">
      <Button variant="secondary" size="small" disabled={page <= 1} onClick={() => onPage(page - 1)}>
        Anterior
      </Button>
      <span className="text-muted tabular-nums">
        Página {formatCount(page)} de {formatCount(pages)}
      </span>
      <Button variant="secondary" size="small" disabled={page >= pages} onClick={() => onPage(page + 1)}>
        Próxima
      </Button>
    </nav>
  )
}

interface PageByPage {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  isFetchNextPageError: boolean
  error: Error | null
  fetchNextPage: () => unknown
}

interface LoadMoreProps extends Pick<ButtonProps, 'size' | 'className'> {
  query: PageByPage
}

/**
 * Under a list that grows by pages: fetches the next one, while there is one; then its end takes the focus over. The
 * list stays when a page does not come, so that is said here.
 */
export function LoadMore({ query, size, className }: LoadMoreProps) {
  const [used, setUsed] = useState(false)
  // Gone while it is tried again: the same words would not be said a second time.
  const hasFailed = query.isFetchNextPageError && !query.isFetchingNextPage
  const failure = hasFailed && isFailure(query.error) ? query.error : null
  const wait = useRetrySeconds(failure)
  if (!query.hasNextPage) return used ? <EndOfList /> : null
  return (
    <div className={cx('grid justify-items-start gap-3', className)}>
      <FailureAlert failure={failure} />
      <Button
        variant="secondary"
        size={size}
        onClick={() => {
          setUsed(true)
          void query.fetchNextPage()
        }}
        disabled={wait > 0}
        busy={query.isFetchingNextPage && 'Carregando...'}
      >
        Carregar mais
      </Button>
    </div>
  )
}

function EndOfList() {
  return (
    <p tabIndex={-1} ref={focusIfLost} className="sr-only">
      Fim da lista
    </p>
  )
}

/** The button that had the focus is gone. Whoever has gone on to something else stays there. */
function focusIfLost(element: HTMLElement | null): void {
  if (document.activeElement === document.body) element?.focus({ preventScroll: true })
}
