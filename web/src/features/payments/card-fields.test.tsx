// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { emptyCache } from '../../../test/cache'
import { renderWith } from '../../../test/render'
import type { Provider } from '../../api/payments'
import { announce } from '../../ui/announcer'
import { CardFields } from './card-fields'

vi.mock('../../ui/announcer', { spy: true })
vi.mock('./sandbox-card-form', () => {
  throw new TypeError('Failed to fetch dynamically imported module')
})

afterEach(() => {
  cleanup()
  vi.clearAllMocks()
  vi.restoreAllMocks()
})

test('card fields that could not be loaded are told of, also after another try', async () => {
  vi.spyOn(console, 'error').mockReturnValue(undefined)
  vi.spyOn(console, 'warn').mockReturnValue(undefined)
  const provider = { sandbox: true } as Provider
  renderWith(
    emptyCache(),
    <CardFields provider={provider} collapsed={false} disabled={false} onChange={() => undefined} />,
  )
  const told = () => vi.mocked(announce).mock.calls.filter(([said]) => said === 'Sistema de pagamento indisponível')
  await waitFor(() => expect(told()).toHaveLength(1))
  fireEvent.click(screen.getByRole('button', { name: 'Tentar Novamente' }))
  await waitFor(() => expect(told()).toHaveLength(2))
})
