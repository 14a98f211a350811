// From page to page of a list: beside each other with where one is, or under each other.
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
        Página {page} de {pages}
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

/** Under a list that grows by pages: fetches the next one, while there is one. */
export function LoadMore({ query, ...look }: LoadMoreProps) {
  if (!query.hasNextPage) return null
  return (
    <Button
      variant="secondary"
      onClick={() => void query.fetchNextPage()}
      busy={query.isFetchingNextPage && 'Carregando...'}
      {...look}
    >
      Carregar mais
    </Button>
  )
}
