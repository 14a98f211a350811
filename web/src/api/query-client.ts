// The query client of the app: the library's, but for what is invalidated while it is read for the first time.
import { QueryClient, type InvalidateOptions, type InvalidateQueryFilters, type QueryKey } from '@tanstack/react-query'

/**
 * A query that is invalidated during its first read is read once more after it: the answer may be older than the news,
 * and the library only starts a read again that had an answer before.
 */
export class AppQueryClient extends QueryClient {
  override invalidateQueries<K extends QueryKey = QueryKey>(
    filters?: InvalidateQueryFilters<K>,
    options?: InvalidateOptions,
  ): Promise<void> {
    for (const { queryKey, state, promise } of this.getQueryCache().findAll(filters)) {
      if (state.fetchStatus !== 'fetching' || state.data !== undefined) continue
      const again = () => super.invalidateQueries({ queryKey, exact: true }, options)
      promise?.then(again, () => undefined)
    }
    return super.invalidateQueries(filters, options)
  }
}
