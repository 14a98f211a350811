// The shape of the app before its code has arrived: the build puts it into the page's HTML, and the router shows it until
// the first route's code is there. `/theme.js` has decided by then whether this browser holds a session. Nothing here may
// need a browser to render.
import { Brand, BrandRow } from '../ui/brand'
import { MenuIcon } from '../ui/icons'
import { Skeleton, usePageShape } from '../ui/skeleton'
import { aside, column, frame, header, main } from './frame'

export function ShellSkeleton() {
  usePageShape()
  return (
    <div aria-busy="true">
      <span className="sr-only">Carregando...</span>
      <div className="signed-out flex justify-center px-4 pt-8 sm:pt-12">
        <Brand size={36} />
      </div>
      <div className="signed-in">
        <div className={frame}>
          <div className={aside}>
            <BrandRow rail />
          </div>
          <div className={column}>
            <div className={header}>
              <span className="-ml-2 grid size-10 place-items-center pointer-coarse:size-11 md:hidden">
                <MenuIcon className="size-4.5" strokeWidth={1.75} />
              </span>
              <Skeleton className="h-5 w-32" />
              <Skeleton className="ml-auto size-10 rounded-full pointer-coarse:size-11" />
            </div>
            <div className={main}>
              <div className="grid gap-6">
                <Skeleton className="h-5 w-48" />
                <Skeleton className="h-38 w-full" />
                <Skeleton className="h-24 w-full" />
              </div>
            </div>
          </div>
        </div>
      </div>
    </div>
  )
}
