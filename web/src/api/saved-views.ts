// The views that a platform admin keeps of the administration's lists. The live event names the list alone: the views
// are read again.
import { queryOptions } from '@tanstack/react-query'
import { load } from './admin'
import { api, unwrap, type Schemas } from './client'
import { savedViewsKey } from './saved-views-key'

export type SavedView = Schemas['SavedView']
export type SavedViewRequest = Schemas['SavedViewRequest']
export type ViewedList = Schemas['ViewedList']
export type ViewFilters = Schemas['ViewFilters']

/** Of all lists. */
export function savedViewsQuery() {
  return queryOptions({
    queryKey: savedViewsKey,
    queryFn: ({ signal }) => load(api.GET('/api/admin/views', { signal })).then(({ views }) => views),
  })
}

export function createView(body: SavedViewRequest): Promise<SavedView> {
  return unwrap(api.POST('/api/admin/views', { body })).then(({ view }) => view)
}

export function updateView(id: string, body: SavedViewRequest): Promise<SavedView> {
  return unwrap(api.PUT('/api/admin/views/{id}', { params: { path: { id } }, body })).then(({ view }) => view)
}

export async function deleteView(id: string): Promise<void> {
  await unwrap(api.DELETE('/api/admin/views/{id}', { params: { path: { id } } }))
}
