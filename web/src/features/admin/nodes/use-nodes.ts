// The nodes as the page and the banner read them: one cache entry, asked as often as the more curious of them wants.
// A hidden page asks nothing, and neither does one whose live updates are paused.
import { useQuery } from '@tanstack/react-query'
import { nodesQuery } from '../../../api/admin'
import { useIsPaused } from '../../../live/status'

export function useNodes(everyMs: number) {
  const paused = useIsPaused()
  return useQuery({ ...nodesQuery(), refetchInterval: paused ? false : everyMs })
}
