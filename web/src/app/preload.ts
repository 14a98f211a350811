// Fetches a screen's code when its link is pointed at or focused, so that the click finds it there.
import { matchRoutes, type RouteObject } from 'react-router'

export function preloadOnHint(routes: RouteObject[]): void {
  const hinted = new Set<string>()
  const onHint = (event: Event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (link === null || link.origin !== location.origin || link.target !== '' || hinted.has(link.pathname)) return
    hinted.add(link.pathname)
    for (const { route } of matchRoutes(routes, link.pathname) ?? []) {
      // A failed fetch is met again, and shown, by the click itself.
      if (typeof route.lazy === 'function') route.lazy().catch(() => hinted.delete(link.pathname))
    }
  }
  document.addEventListener('pointerover', onHint, { passive: true })
  document.addEventListener('focusin', onHint)
}
