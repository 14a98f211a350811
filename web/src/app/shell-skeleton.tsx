// The shape of a page while the first route's code arrives.
import { Skeleton } from '../ui/skeleton'

export function ShellSkeleton() {
  return (
    <div aria-busy="true" className="grid min-h-dvh content-start">
      <span className="sr-only">Carregando...</span>
      <div className="flex h-14 items-center gap-3 border-b border-line px-4">
        <Skeleton className="size-7" />
        <Skeleton className="h-5 w-32" />
      </div>
      <div className="mx-auto grid w-full max-w-[1200px] gap-4 p-4 md:p-8">
        <Skeleton className="h-8 w-56" />
        <Skeleton className="h-40 w-full" />
        <Skeleton className="h-40 w-full" />
      </div>
    </div>
  )
}
