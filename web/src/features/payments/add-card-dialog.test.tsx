// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { afterEach, expect, test, vi } from 'vitest'
import { emptyCache } from '../../../test/cache'
import { api } from '../../api/client'
import { ApiError } from '../../api/errors'
import { paymentKeys } from '../../api/payments'
import { AddCardDialog } from './add-card-dialog'

vi.mock('../../auth/use-session', () => ({ useUser: () => ({ userName: 'Maria', userEmail: 'maria@exemplo.com.br' }) }))

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

async function fillIn() {
  const queries = emptyCache()
  queries.setQueryData(paymentKeys.providers, [{ publishableKey: 'pk_test_sandbox', sandbox: true, methods: [] }])
  const dialog = <AddCardDialog companyId="c1" onClose={() => {}} />
  render(
    <QueryClientProvider client={queries}>
      <RouterProvider router={createMemoryRouter([{ path: '*', element: dialog }])} />
    </QueryClientProvider>,
  )
  const type = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } })
  await screen.findByLabelText('Número do cartão')
  type('Número do cartão', '4242 4242 4242 4242')
  type('Validade', '12/70')
  type('CVC', '123')
}

test('Enter in a field saves the card once it is complete', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ id: 'pm_1' }))
  const post = vi.spyOn(api, 'POST').mockRejectedValue(new ApiError('CARD_LIMIT_REACHED', { status: 409 }))
  await fillIn()
  const form = screen.getByLabelText('Número do cartão').closest('form')
  const cvc = screen.getByLabelText('CVC')
  fireEvent.change(cvc, { target: { value: '' } })
  form?.requestSubmit()
  expect(screen.getByRole('button', { name: 'Salvar cartão' })).toBeTruthy()
  fireEvent.change(cvc, { target: { value: '123' } })
  form?.requestSubmit()
  await waitFor(() => expect(post).toHaveBeenCalledOnce())
})

test('a card that was sent too often is held back while the seconds are counted down', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ id: 'pm_1' }))
  const post = vi.spyOn(api, 'POST').mockRejectedValue(new ApiError('RATE_LIMITED', { status: 429, retryAfter: 30 }))
  await fillIn()
  const save = screen.getByRole('button', { name: 'Salvar cartão' })
  fireEvent.click(save)
  await screen.findByText('Muitas tentativas. Tente novamente em 30 s.')
  await screen.findByText('Muitas tentativas. Tente novamente em 29 s.', {}, { timeout: 5_000 })
  fireEvent.click(save)
  expect(post).toHaveBeenCalledOnce()
})

test('a newer text of the consent is read, and the sentence says why to confirm again', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ id: 'pm_1' }))
  const refusal = new ApiError('VALIDATION_ERROR', { status: 422, fields: { renewalConsent: 'INVALID' } })
  vi.spyOn(api, 'POST').mockRejectedValue(refusal)
  const renewalConsent = { version: '2026-12', sentence: 'O texto novo.' }
  const data = { providers: [{ publishableKey: 'pk_test_sandbox', sandbox: true, methods: [], renewalConsent }] }
  const read = vi
    .spyOn(api, 'GET')
    .mockResolvedValue({ data: { success: true, data }, response: new Response() } as never)
  await fillIn()
  fireEvent.click(screen.getByRole('button', { name: 'Salvar cartão' }))
  await screen.findByText('O texto da autorização mudou. Leia o novo texto e confirme novamente.')
  await screen.findByText('O texto novo.')
  expect(read).toHaveBeenCalledOnce()
})
