// The plans of the platform as the options of a filter. Those that are no longer sold are among them: companies still
// have them, and payments were made for them.
import { useInfiniteQuery } from '@tanstack/react-query'
import { adminPlansQuery } from '../../api/admin'

export function usePlanOptions(): [name: string, label: string][] {
  const { data } = useInfiniteQuery(adminPlansQuery('all', 100))
  return (
    data?.pages.flatMap(({ plans }) => plans.map(({ name, displayName }): [string, string] => [name, displayName])) ??
    []
  )
}
