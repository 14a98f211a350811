// Grey blocks in the shape of what is loading. Hidden from assistive technology: the area says aria-busy.
import { useLayoutEffect } from 'react'
import { cx } from './cx'

/** What is shown within this time after the shape of the page goes on with it. */
const FOLLOWS_WITHIN_MS = 300

/** When the shape of the whole page was seen last, by `performance.now()`. */
let pageShapeSeenAt = Number.NEGATIVE_INFINITY

/** For the shape that a page has before its code is there. */
export function usePageShape(): void {
  useLayoutEffect(() => {
    pageShapeSeenAt = Number.POSITIVE_INFINITY
    return () => {
      pageShapeSeenAt = performance.now()
    }
  }, [])
}

/** Whether a skeleton that appears now takes the place of that shape: it is nothing new to the eye. */
export function followsPageShape(): boolean {
  return performance.now() - pageShapeSeenAt < FOLLOWS_WITHIN_MS
}

export function Skeleton({ className }: { className: string }) {
  return <div aria-hidden="true" className={cx('animate-pulse rounded-control bg-sunken', className)} />
}

export function SkeletonLines({ count }: { count: number }) {
  return (
    <div aria-hidden="true" className="grid gap-2">
      {Array.from({ length: count }, (_, index) => (
        <Skeleton key={index} className={cx('h-4', index === count - 1 ? 'w-2/3' : 'w-full')} />
      ))}
    </div>
  )
}

/** The shape of a table; `className` is the height of a row. */
export function SkeletonRows({ className }: { className: string }) {
  return (
    <div className="grid gap-3 sm:gap-px">
      {Array.from({ length: 6 }, (_, row) => (
        <Skeleton key={row} className={className} />
      ))}
    </div>
  )
}
