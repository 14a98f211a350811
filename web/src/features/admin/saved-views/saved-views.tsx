// The saved views above a list of the administration. What shows them is loaded after the list, into a place that is
// as high as it.
import { Suspense } from 'react'
import { lazyPart } from '../../../api/lazy-part'
import type { ViewedList } from '../../../api/saved-views'
import { Skeleton } from '../../../ui/skeleton'

const SavedViewsBar = lazyPart(
  () => import('./saved-views-bar'),
  () => <p className="flex h-full items-center text-label text-danger">Erro ao carregar visualizações</p>,
)

export function SavedViews({ list }: { list: ViewedList }) {
  return (
    <div className="h-11">
      <Suspense fallback={<SavedViewsSkeleton />}>
        <SavedViewsBar list={list} />
      </Suspense>
    </div>
  )
}

export function SavedViewsSkeleton() {
  return (
    <div className="flex h-11 items-center gap-2" aria-busy="true">
      <Skeleton className="h-8 w-20" />
      <Skeleton className="h-8 w-32" />
      <Skeleton className="ml-auto h-8 w-24 sm:w-40" />
    </div>
  )
}
