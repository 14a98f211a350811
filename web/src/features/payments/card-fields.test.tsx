// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { emptyCache } from '../../../test/cache'
import { renderWith } from '../../../test/render'
import type { Provider } from '../../api/payments'
import { isOutdated } from '../../lib/outdated'
import { VERSION } from '../../lib/version'
import { announce } from '../../ui/announcer'
import { CardFields } from './card-fields'

vi.mock('../../ui/announcer', { spy: true })
vi.mock('./sandbox-card-form', () => {
  throw new TypeError('Failed to fetch dynamically imported module')
})

afterEach(() => {
  cleanup()
  isOutdated.set(false)
})

function show(serverVersion: string) {
  vi.stubGlobal(
    'fetch',
    vi.fn(async () => Response.json({ success: true, data: { version: serverVersion } })),
  )
  const provider = { sandbox: true } as Provider
  renderWith(
    emptyCache(),
    <CardFields provider={provider} collapsed={false} disabled={false} onChange={() => undefined} />,
  )
}

test('card fields that could not be loaded are told of, also after another try', async () => {
  vi.spyOn(console, 'error').mockReturnValue(undefined)
  vi.spyOn(console, 'warn').mockReturnValue(undefined)
  show(VERSION)
  const told = () => vi.mocked(announce).mock.calls.filter(([said]) => said === 'Sistema de pagamento indisponível')
  await waitFor(() => expect(told()).toHaveLength(1))
  fireEvent.click(screen.getByRole('button', { name: 'Tentar Novamente' }))
  await waitFor(() => expect(told()).toHaveLength(2))
})

test('card fields that a newer build has replaced lead to a reload, for another try would not bring them', async () => {
  show('9.9.9')
  await screen.findByText('Nova versão disponível')
  screen.getByRole('button', { name: 'Recarregar' })
  expect(screen.queryByRole('button', { name: 'Tentar Novamente' })).toBeNull()
})
