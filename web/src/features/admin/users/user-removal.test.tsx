// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { QueryClientProvider } from '@tanstack/react-query'
import { afterEach, expect, test, vi } from 'vitest'
import { emptyCache } from '../../../../test/cache'
import { userQuery } from '../../../api/admin'
import { api } from '../../../api/client'
import { ApiError } from '../../../api/errors'
import { UserRemoval } from './user-removal'

afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})

test('a failure goes when the other way is begun', async () => {
  const refuse = vi.fn(() => Promise.reject(new ApiError('CONFLICT', { status: 409 })))
  const forEver = () => new Promise(() => undefined)
  vi.spyOn(api, 'PUT').mockImplementation(refuse as never)
  vi.spyOn(api, 'DELETE').mockImplementation(forEver as never)
  const queries = emptyCache()
  const rita = { id: 'u1', userName: 'Rita', userEmail: 'rita@exemplo.com.br', status: 'active' }
  queries.setQueryData(userQuery('u1').queryKey, rita as never)
  render(
    <QueryClientProvider client={queries}>
      <UserRemoval userId="u1" onClose={() => undefined} onRemoved={() => undefined} />
    </QueryClientProvider>,
  )
  fireEvent.click(screen.getByRole('button', { name: 'Desativar' }))
  await screen.findByText('Erro ao excluir usuário')
  fireEvent.change(screen.getByLabelText(/^Digite rita/), { target: { value: rita.userEmail } })
  const form = screen.getByLabelText(/^Digite rita/).closest('form')
  if (form) fireEvent.submit(form)
  await screen.findAllByText('Excluindo...')
  expect(screen.queryByText('Erro ao excluir usuário')).toBeNull()
  expect(refuse).toHaveBeenCalledOnce()
})
