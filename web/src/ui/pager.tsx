// From page to page of a list: beside each other with where one is, or under each other.
import { useState } from 'react'
import { formatCount } from '../lib/decimal'
import { Button, type ButtonProps } from './button'

export interface PagerProps {
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

export interface LoadMoreProps extends Pick<ButtonProps, 'size' | 'className'> {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown }
}

/** Under a list that grows by pages: fetches the next one, while there is one; then its end takes the focus over. */
export function LoadMore({ query, ...look }: LoadMoreProps) {
  const [used, setUsed] = useState(false)
  if (!query.hasNextPage) return used ? <EndOfList /> : null
  return (
    <Button
      variant="secondary"
      onClick={() => {
        setUsed(true)
        void query.fetchNextPage()
      }}
      busy={query.isFetchingNextPage && 'Carregando...'}
      {...look}
    >
      Carregar mais
    </Button>
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
