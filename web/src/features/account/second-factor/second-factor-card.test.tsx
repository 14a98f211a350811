// @vitest-environment happy-dom
import { act, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { emptyCache } from '../../../../test/cache'
import { renderWith } from '../../../../test/render'
import { secondFactorQuery, type SecondFactor } from '../../../api/second-factor'
import SecondFactorCard from './second-factor-card'

const none: SecondFactor = { enabled: false, passkeys: [], recoveryCodesLeft: 0, passkeyDomain: null } as never

test('the heading takes the focus when the read that removes the pressed button comes after the dialog has closed', async () => {
  const cache = emptyCache()
  const { queryKey } = secondFactorQuery()
  cache.setQueryData(queryKey, none as never)
  renderWith(cache, <SecondFactorCard />)
  screen.getByRole('button', { name: 'Ativar aplicativo' }).focus()
  const active = { ...none, enabled: true, totpEnabledAt: '2026-11-21T12:00:00Z', recoveryCodesLeft: 10 }
  act(() => void cache.setQueryData(queryKey, active as never))
  await screen.findByRole('button', { name: 'Remover aplicativo' })
  expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Verificação em duas etapas' }))
})
