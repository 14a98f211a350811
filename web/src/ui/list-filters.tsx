// The filters of a list, which live in the URL: the bar above the list, what it asks for, and the way back to
// everything.
import { useEffect, useRef, type ReactNode } from 'react'
import { firstCharacters } from '../lib/characters'
import { counted } from '../lib/labels'
import { announce } from './announcer'
import { Button } from './button'
import { DayRange, daysOf, type Days } from './day-range'
import { leaveToHeading } from './focus-heading'
import { FilterSelect, type FilterSelectProps } from './filter-select'
import { SearchField } from './search-field'
import { oneOf, useLastPage, useUrlState, type PagedQuery, type UrlState } from './url-state'

export interface ListFilters<Filter> {
  url: UrlState
  /** What the server is asked for. */
  filter: Filter
  isFiltered: boolean
  /** Writes filters into the URL, empty ones out of it; the list then begins at its first page. */
  change: (next: Record<string, string>) => void
  clear: () => void
}

/** `read` leaves out what the URL does not name, or names wrongly: it is no filter. */
export function useListFilters<Filter extends object>(read: (url: UrlState) => Filter): ListFilters<Filter> {
  const url = useUrlState()
  const filter = read(url)
  const change = (next: Record<string, string>) => url.set({ ...next, page: '' })
  return {
    url,
    filter,
    isFiltered: Object.keys(filter).length > 0,
    change,
    clear: () => change(Object.fromEntries(Object.keys(filter).map((name) => [name, '']))),
  }
}

/** Announces what was `found`, once for each filter and each page that is asked for while the list is shown. */
export function useAnnounceFound(filter: object, page: number, found: string | false | undefined): void {
  const wanted = JSON.stringify([filter, page])
  const told = useRef(wanted)
  useEffect(() => {
    if (!found || told.current === wanted) return
    told.current = wanted
    announce(page > 1 ? `${found}, página ${page}` : found, 'found')
  }, [found, wanted, page])
}

/** For a list by pages: leads back from behind the last one, and announces what was found. */
export function usePagedList(
  { url, filter }: { url: UrlState; filter: object },
  limit: number,
  query: PagedQuery,
  words: [one: string, many: string, none: string],
): void {
  useLastPage(url, limit, query)
  useAnnounceFound(filter, url.page, !query.isFetching && query.data && counted(query.data.total, ...words))
}

/** The filter of a list whose lines have a kind and a day. */
export interface KindFilter<Kind extends string> extends Days {
  kind?: Kind
  search?: string
}

export function useKindFilters<Kind extends string>(kinds: Record<Kind, unknown>): ListFilters<KindFilter<Kind>> {
  const read = (url: UrlState): KindFilter<Kind> => {
    const kind = oneOf(kinds, url.get('kind'))
    return { ...daysOf(url), ...(kind && { kind }), ...searchOf(url) }
  }
  return useListFilters(read)
}

/** What is searched for, where something is. The server takes no more than 100 characters. */
export function searchOf(url: Pick<UrlState, 'get'>): { search?: string } {
  const search = firstCharacters(url.get('search')?.trim() ?? '', 100)
  return search ? { search } : {}
}

interface FilterBarProps {
  filters: Pick<ListFilters<object>, 'url' | 'change'>
  /** What the search finds things by, and what it looks for now. */
  search?: { hint: string; value: string | undefined }
  /** Their names in the URL. */
  selects?: readonly ({ name: string } & Omit<FilterSelectProps, 'onChange'>)[]
  /** The last day that can be chosen. Without it the list is not narrowed by days. */
  lastDay?: string
  /** A filter of another form, and what is done with the filtered list, such as a file of it. */
  children?: ReactNode
}

export function FilterBar({ filters: { url, change }, search, selects = [], lastDay, children }: FilterBarProps) {
  return (
    <search className="flex flex-wrap items-end gap-3">
      {search && (
        <SearchField hint={search.hint} value={search.value ?? ''} onSearch={(text) => change({ search: text })} />
      )}
      {selects.map(({ name, ...select }) => (
        <FilterSelect key={name} {...select} onChange={(value) => change({ [name]: value })} />
      ))}
      {lastDay !== undefined && <DayRange url={url} max={lastDay} onChange={change} />}
      {children}
    </search>
  )
}

export function ClearFilters({ onClear }: { onClear: () => void }) {
  const clear = (button: Element) => {
    leaveToHeading(button)
    onClear()
  }
  return (
    <Button variant="secondary" onClick={({ currentTarget }) => clear(currentTarget)}>
      Limpar filtros
    </Button>
  )
}
