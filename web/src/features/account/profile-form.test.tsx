// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { useQuery } from '@tanstack/react-query'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { expect, test, vi } from 'vitest'
import { answerOf } from '../../../test/answer'
import { askingCache, renderWith } from '../../../test/render'
import { meKey, meQuery, type User } from '../../api/auth'
import { api } from '../../api/client'
import { ProfileForm } from './profile-form'

const rita = {
  id: 'u1',
  userName: 'Rita',
  userEmail: 'rita@exemplo.com.br',
  userDocument: '11144477735',
  userPhone: '(11) 98765-4321',
  userBirthDate: '1990-01-01',
} as User
const answer = (user: User) => answerOf({ user })

function Shown() {
  const { data } = useQuery(meQuery())
  return data ? <ProfileForm user={data} /> : null
}

test('a name that was saved while the person was being read stays', async () => {
  const saved = { ...rita, userName: 'Rita Campos' }
  let arrive = (): void => undefined
  const before = new Promise<void>((resolve) => (arrive = resolve)).then(() => answer(rita))
  vi.spyOn(api, 'GET')
    .mockResolvedValueOnce(answer(rita))
    .mockReturnValueOnce(before as never)
    .mockResolvedValue(answer(saved))
  vi.spyOn(api, 'PUT').mockResolvedValue(answer(saved))
  const queries = askingCache()
  renderWith(queries, <RouterProvider router={createMemoryRouter([{ path: '*', element: <Shown /> }])} />)
  const name = await screen.findByLabelText<HTMLInputElement>(/^Nome Completo/)
  void queries.refetchQueries({ queryKey: meKey })
  fireEvent.change(name, { target: { value: 'Rita Campos' } })
  fireEvent.click(screen.getByRole('button', { name: 'Salvar' }))
  await screen.findByText('Nenhuma alteração para salvar')
  arrive()
  await waitFor(() => expect(queries.isFetching()).toBe(0))
  expect(queries.getQueryData(meKey)).toEqual(saved)
})
