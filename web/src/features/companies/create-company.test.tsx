// @vitest-environment happy-dom
import { act, fireEvent, screen } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { beforeEach, expect, test, vi } from 'vitest'
import { answerOf } from '../../../test/answer'
import { emptyCache } from '../../../test/cache'
import { renderWith } from '../../../test/render'
import { api } from '../../api/client'
import { companyKeys, type Company } from '../../api/companies'
import { ApiError } from '../../api/errors'
import { CreateCompanyPage } from './create-company'

const select = vi.hoisted(() => vi.fn())
vi.mock('../../auth/company', () => ({ useCompany: () => ({ select }) }))
vi.mock('../../auth/use-session', () => ({ useUser: () => ({ id: 'u1' }) }))

const company = { id: 'c1', companyName: 'Ponto Central', companyCreatedBy: 'u1', userRole: 'admin' } as Company

beforeEach(() => vi.useFakeTimers())

/** The form of somebody who already has these companies, with the name typed. */
function fillIn(known: Company[]) {
  const queries = emptyCache()
  queries.setQueryData(companyKeys.list, known)
  const routes = [
    { path: '/', element: <CreateCompanyPage /> },
    { path: '/dashboard', element: <p>Chegou</p> },
  ]
  renderWith(queries, <RouterProvider router={createMemoryRouter(routes)} />)
  fireEvent.change(screen.getByLabelText(/^Nome da Empresa/), { target: { value: 'Ponto Central' } })
}

async function press() {
  fireEvent.click(screen.getByRole('button', { name: 'Criar Empresa' }))
  await act(() => vi.advanceTimersByTimeAsync(1_000))
}

test('a company whose answer was lost is found, and not made again', async () => {
  const post = vi.spyOn(api, 'POST').mockRejectedValue(new ApiError('NETWORK_ERROR'))
  const earlier = { ...company, id: 'c0' }
  vi.spyOn(api, 'GET')
    .mockRejectedValueOnce(new ApiError('NETWORK_ERROR'))
    .mockResolvedValue(answerOf({ companies: [earlier, company] }))
  fillIn([earlier])
  await press()
  expect(screen.getByText('Erro ao criar empresa')).toBeTruthy()
  await press()
  expect(screen.getByText('Chegou')).toBeTruthy()
  expect(select.mock.calls).toEqual([[company]])
  expect(post).toHaveBeenCalledOnce()
})

test('a company that was not made is tried again, whatever another one is called', async () => {
  const earlier = { ...company, id: 'c0' }
  const ofAnother = { ...company, id: 'c2', companyCreatedBy: 'u2' }
  const post = vi
    .spyOn(api, 'POST')
    .mockRejectedValueOnce(new ApiError('SERVICE_UNAVAILABLE', { status: 503 }))
    .mockResolvedValue(answerOf({ company }))
  vi.spyOn(api, 'GET').mockResolvedValue(answerOf({ companies: [earlier, ofAnother] }))
  fillIn([earlier])
  await press()
  expect(screen.getByText('Erro ao criar empresa')).toBeTruthy()
  await press()
  expect(screen.getByText('Chegou')).toBeTruthy()
  expect(post).toHaveBeenCalledTimes(2)
})

test('who has left before the answer came stays where they are', async () => {
  let arrive = (): void => undefined
  vi.spyOn(api, 'POST').mockReturnValue(
    new Promise((resolve) => (arrive = () => resolve(answerOf({ company })))) as never,
  )
  vi.spyOn(api, 'GET').mockRejectedValue(new Error('not asked'))
  const routes = [
    { path: '/', element: <CreateCompanyPage /> },
    { path: '/account', element: <p>Minha Conta</p> },
    { path: '/dashboard', element: <p>Chegou</p> },
  ]
  const router = createMemoryRouter(routes)
  renderWith(emptyCache(), <RouterProvider router={router} />)
  fireEvent.change(screen.getByLabelText(/^Nome da Empresa/), { target: { value: 'Ponto Central' } })
  await press()
  await act(() => router.navigate('/account'))
  await act(async () => arrive())
  await act(() => vi.advanceTimersByTimeAsync(1_000))
  expect(select).not.toHaveBeenCalled()
  expect(screen.getByText('Minha Conta')).toBeTruthy()
})

test('the form stays busy until the dashboard is there, and makes one company', async () => {
  const post = vi.spyOn(api, 'POST').mockResolvedValue(answerOf({ company }))
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
