// @vitest-environment happy-dom
import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { expect, test, vi } from 'vitest'
import { emptyCache } from '../../../test/cache'
import { renderWith } from '../../../test/render'
import { api } from '../../api/client'
import { ApiError } from '../../api/errors'
import { AddUserDialog } from './add-user'

/** The dialog with an address in it. */
function typed(onClose: () => void) {
  const dialog = <AddUserDialog companyId="c1" onAdded={() => {}} onClose={onClose} />
  const router = createMemoryRouter([
    { path: '/', element: dialog },
    { path: '*', element: null },
  ])
  renderWith(emptyCache(), <RouterProvider router={router} />)
  fireEvent.change(screen.getByLabelText(/^Email/), { target: { value: 'ana@exemplo.com.br' } })
  return router
}

test('an address that was typed is not lost without a question', async () => {
  const onClose = vi.fn()
  const router = typed(onClose)
  await act(() => router.navigate('/dashboard'))
  screen.getByText('As alterações desta página serão perdidas.')
  expect(router.state.location.pathname).toBe('/')
  fireEvent.click(screen.getByRole('button', { name: 'Continuar editando' }))
  fireEvent.click(screen.getByRole('button', { name: 'Cancelar' }))
  screen.getByText('As alterações não salvas serão perdidas.')
  expect(onClose).not.toHaveBeenCalled()
})

test('whoever has no seat left is led to the plans unasked', async () => {
  vi.spyOn(api, 'POST').mockRejectedValue(new ApiError('PLAN_LIMIT_REACHED', { status: 409 }))
  const router = typed(() => {})
  fireEvent.click(screen.getByRole('button', { name: 'Adicionar' }))
  await screen.findByText('Limite de usuários do plano atingido')
  fireEvent.click(screen.getByRole('link', { name: 'Ver Planos' }))
  await waitFor(() => expect(router.state.location.pathname).toBe('/plans'))
})
