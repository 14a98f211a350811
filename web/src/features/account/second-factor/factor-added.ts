// What the cache still holds of the time before a factor was added.
import type { QueryClient } from '@tanstack/react-query'
import { sessionsKey } from '../../../api/auth'
import { secondFactorKey } from '../../../api/second-factor'

/** Recovery codes come with the first factor, and with it the other sessions end. */
export function factorAdded(queries: QueryClient, recoveryCodes: readonly string[] | undefined): void {
  void queries.invalidateQueries({ queryKey: secondFactorKey })
  if (recoveryCodes) void queries.invalidateQueries({ queryKey: sessionsKey })
}
