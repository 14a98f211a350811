// What a list shows lives in the URL: a link or a reload shows the same. Changing a filter goes back to page one.
import { useEffect } from 'react'
import { useSearchParams } from 'react-router'

/** The search of an address, without the ways to change it. */
export interface Address {
  get: (name: string) => string | null
  page: number
}

export interface UrlState extends Address {
  /** Empty values leave the URL. Replaces the entry, so that "back" leaves the screen. */
  set: (change: Record<string, string>) => void
  /** Opens a record beside the list. Adds an entry, so that "back" closes it and leaves the list as it was. */
  open: (change: Record<string, string>) => void
  /** The first page leaves the URL. Adds an entry, so that "back" leads to the page of the list before. */
  setPage: (page: number) => void
}

export function useUrlState(): UrlState {
  const [search, setSearch] = useSearchParams()
  // From the address itself: a late search must not undo what was opened since this screen was drawn.
  const change = (names: Record<string, string>, replace: boolean) =>
    setSearch(withChange(new URLSearchParams(window.location.search), names), { replace, preventScrollReset: true })
  return {
    ...addressOf(search),
    set: (names) => change(names, true),
    open: (names) => change(names, false),
    setPage: (page) => change({ page: textOf(page) }, false),
  }
}

function textOf(page: number): string {
  return page === 1 ? '' : String(page)
}

/** A page behind the last one, from an old link or after rows went, leads to the last one. */
export function useLastPage({ page, set }: UrlState, limit: number, query: PagedQuery): void {
  // While another page or filter is asked for, what is shown says nothing about it.
  const last = query.data && !query.isFetching ? Math.max(1, Math.ceil(query.data.total / limit)) : page
  useEffect(() => {
    if (page > last) set({ page: textOf(last) })
  })
}

export interface PagedQuery {
  data: { total: number } | undefined
  isFetching: boolean
}

export function addressOf(search: URLSearchParams): Address {
  return { get: (name) => search.get(name), page: readPage(search.get('page')) }
}

export function withChange(before: URLSearchParams, change: Record<string, string>): URLSearchParams {
  const next = new URLSearchParams(before)
  for (const [name, value] of Object.entries(change)) {
    if (value) next.set(name, value)
    else next.delete(name)
  }
  return next
}

/** The server knows none behind it. */
const LAST_PAGE = 1_000_000

/** A page from the URL; what is no page is the first. */
export function readPage(text: string | null): number {
  const page = Number(text)
  return Number.isInteger(page) && page > 0 ? Math.min(page, LAST_PAGE) : 1
}

/** The text when it is a key of the table. */
export function oneOf<T extends string>(table: Record<T, unknown>, text: string | null): T | undefined {
  return text !== null && Object.hasOwn(table, text) ? (text as T) : undefined
}
