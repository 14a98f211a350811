// From page to page of a list, with where one is.
import { Button } from './button'

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
