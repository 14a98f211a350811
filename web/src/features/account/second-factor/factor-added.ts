// What the cache still holds of the time before a factor was added.
import type { QueryClient } from '@tanstack/react-query'
import { sessionsKey } from '../../../api/auth'
import { secondFactorKey } from '../../../api/second-factor-key'
import { notifyWarning } from '../../../ui/toast'

/** Recovery codes come with the first factor, and with it the other sessions end. */
export function factorAdded(queries: QueryClient, recoveryCodes: readonly string[] | undefined): void {
  void queries.invalidateQueries({ queryKey: secondFactorKey })
  if (recoveryCodes) void queries.invalidateQueries({ queryKey: sessionsKey })
}

/** The first factor is there, and the answer that had its codes was lost. */
export function codesLost(queries: QueryClient): void {
  factorAdded(queries, [])
  notifyWarning('Os códigos de recuperação não chegaram. Use Gerar novos códigos.')
}
