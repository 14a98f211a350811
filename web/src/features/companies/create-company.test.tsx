// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { emptyCache } from '../../../test/cache'
import { renderWith } from '../../../test/render'
import { api } from '../../api/client'
import { CreateCompanyPage } from './create-company'

vi.mock('../../auth/company', () => ({ useCompany: () => ({ select: () => undefined }) }))

beforeEach(() => vi.useFakeTimers())
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

test('the form stays busy until the dashboard is there, and makes one company', async () => {
  const company = { id: 'c1', companyName: 'Ponto Central', userRole: 'admin', status: 'active' }
  const post = vi
    .spyOn(api, 'POST')
    .mockResolvedValue({ data: { success: true, data: { company } }, response: new Response() } as never)
  vi.spyOn(api, 'GET').mockRejectedValue(new Error('not asked'))
  let arrive = (): void => undefined
  const lazy = () =>
    new Promise<{ Component: () => string }>((resolve) => (arrive = () => resolve({ Component: () => 'Chegou' })))
  const routes = [
    { path: '/', element: <CreateCompanyPage /> },
    { path: '/dashboard', lazy },
  ]
  renderWith(emptyCache(), <RouterProvider router={createMemoryRouter(routes)} />)
  fireEvent.change(screen.getByLabelText(/^Nome da Empresa/), { target: { value: 'Ponto Central' } })
  fireEvent.click(screen.getByRole('button', { name: 'Criar Empresa' }))
  // Longer than the wait before the dashboard, whose code is still on its way.
  await act(() => vi.advanceTimersByTimeAsync(1_000))
  expect(post).toHaveBeenCalledOnce()
  fireEvent.click(screen.getByRole('button', { name: 'Criando...' }))
  await act(() => vi.advanceTimersByTimeAsync(1_000))
  expect(post).toHaveBeenCalledOnce()
  await act(async () => arrive())
  await act(() => vi.advanceTimersByTimeAsync(0))
  expect(screen.getByText('Chegou')).toBeTruthy()
})
