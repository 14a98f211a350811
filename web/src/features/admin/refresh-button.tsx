// Reads a page's data again and announces it.
import { useEffect, useState } from 'react'
import { useQueryClient, type QueryKey } from '@tanstack/react-query'
import { announce } from '../../ui/announcer'
import { Button } from '../../ui/button'
import { CheckIcon, SubscriptionIcon } from '../../ui/icons'

const TOLD_MS = 2_000

export function RefreshButton({ queryKeys }: { queryKeys: readonly QueryKey[] }) {
  const queries = useQueryClient()
  const [state, setState] = useState<'idle' | 'busy' | 'done'>('idle')
  useEffect(() => {
    if (state !== 'done') return
    const timer = setTimeout(() => setState('idle'), TOLD_MS)
    return () => clearTimeout(timer)
  }, [state])

  const refresh = async () => {
    setState('busy')
    await Promise.all(queryKeys.map((queryKey) => queries.refetchQueries({ queryKey, type: 'active' })))
    const failed = queryKeys.some((queryKey) =>
      queries
        .getQueryCache()
        .findAll({ queryKey, type: 'active' })
        .some((query) => query.state.status === 'error'),
    )
    setState(failed ? 'idle' : 'done')
    if (!failed) announce('Atualizado agora')
  }

  return (
    <Button variant="secondary" onClick={() => void refresh()} busy={state === 'busy' && 'Atualizando...'}>
      {state === 'done' ? <CheckIcon /> : <SubscriptionIcon />}
      {state === 'done' ? 'Atualizado agora' : 'Atualizar'}
    </Button>
  )
}
