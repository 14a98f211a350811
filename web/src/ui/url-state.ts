// What a list shows lives in the URL: a link or a reload shows the same. Changing a filter goes back to page one.
import { useSearchParams } from 'react-router'

/** The search of an address, without the ways to change it. */
export interface Address {
  get: (name: string) => string | null
  page: number
}

export interface UrlState extends Address {
  /** Empty values leave the URL. Replaces the entry, so that "back" leaves the page. */
  set: (change: Record<string, string>) => void
  /** The first page leaves the URL. */
  setPage: (page: number) => void
}

export function useUrlState(): UrlState {
  const [search, setSearch] = useSearchParams()
  // From the address itself: a late search must not undo what was opened since this screen was drawn.
  const set = (change: Record<string, string>) =>
    setSearch(withChange(new URLSearchParams(window.location.search), change), {
      replace: true,
      preventScrollReset: true,
    })
  return {
    ...addressOf(search),
    set,
    setPage: (page) => set({ page: page === 1 ? '' : String(page) }),
  }
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

/** A page from the URL; what is no page is the first. */
export function readPage(text: string | null): number {
  const page = Number(text)
  return Number.isInteger(page) && page > 0 ? page : 1
}

/** The text when it is a key of the table. */
export function oneOf<T extends string>(table: Record<T, unknown>, text: string | null): T | undefined {
  return text !== null && Object.hasOwn(table, text) ? (text as T) : undefined
}
