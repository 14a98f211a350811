// Any unknown path leads to the landing page, which is another document and says so.
import { useEffect } from 'react'
import { notFoundMark, paths, withQuery } from '../lib/paths'

export function NotFound() {
  useEffect(() => {
    location.replace(withQuery(paths.landing, { [notFoundMark]: '1' }))
  }, [])
  return null
}
