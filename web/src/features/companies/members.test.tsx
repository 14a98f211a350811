// @vitest-environment happy-dom
import { useState } from 'react'
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { createBrowserRouter, RouterProvider } from 'react-router'
import { expect, test, vi } from 'vitest'
import { emptyCache } from '../../../test/cache'
import { renderWith } from '../../../test/render'
import type { CompanyDetail } from '../../api/companies'
import { Members } from './members'

vi.mock('../../auth/use-session', async (original) => ({
  ...(await original<object>()),
  useUser: () => ({ id: 'u1', userName: 'Maria', userEmail: 'maria@exemplo.com.br', userRole: 'user' }),
}))

test('the dialog that adds a person opens and closes without touching the rest of the address', async () => {
  window.history.replaceState(null, '', '/company/manage?companyId=c1')
  const company = { id: 'c1', userRole: 'admin', users: [], invites: [], maxUsers: 5 } as unknown as CompanyDetail
  const router = createBrowserRouter([{ path: '*', element: <Members company={company} detail={company} canManage /> }])
  renderWith(emptyCache(), <RouterProvider router={router} />)
  fireEvent.click(screen.getByRole('button', { name: 'Adicionar Usuário' }))
  await screen.findByRole('dialog')
  expect(window.location.search).toBe('?companyId=c1&add=1')
  fireEvent.click(screen.getByRole('button', { name: 'Cancelar' }))
  await waitFor(() => expect(window.location.search).toBe('?companyId=c1'))
})

test('the dialog that adds a person does not come back with the right to add one', async () => {
  window.history.replaceState(null, '', '/company/manage?add=1')
  const company = { id: 'c1', userRole: 'admin', users: [], invites: [], maxUsers: 5 } as unknown as CompanyDetail
  function Managed() {
    const [may, setMay] = useState(true)
    return (
      <>
        <button onClick={() => setMay(!may)}>Outro direito</button>
        <Members company={company} detail={company} canManage={may} />
      </>
    )
  }
  const router = createBrowserRouter([{ path: '*', element: <Managed /> }])
  renderWith(emptyCache(), <RouterProvider router={router} />)
  await screen.findByRole('dialog')
  fireEvent.click(screen.getByText('Outro direito'))
  await waitFor(() => expect(window.location.search).toBe(''))
  fireEvent.click(screen.getByText('Outro direito'))
  await screen.findByRole('button', { name: 'Adicionar Usuário' })
  expect(screen.queryByRole('dialog')).toBeNull()
})
