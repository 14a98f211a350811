// @vitest-environment happy-dom
import { act, fireEvent, render, screen } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { expect, test } from 'vitest'
import LeaveGuard from './leave-guard'

test('the browser is told in both ways to ask before the tab is closed', () => {
  render(<RouterProvider router={createMemoryRouter([{ path: '/', element: <LeaveGuard /> }])} />)
  const closing = Object.defineProperty(new Event('beforeunload', { cancelable: true }), 'returnValue', {
    value: '',
    writable: true,
  })
  window.dispatchEvent(closing)
  expect(closing.defaultPrevented).toBe(true)
  expect(closing.returnValue).toBe(true)
})

test('"back" asks too where only the query changes, which opens sheets; a way of the app inside the page does not', async () => {
  const router = createMemoryRouter([{ path: '/', element: <LeaveGuard /> }], { initialEntries: ['/', '/?page=2'] })
  render(<RouterProvider router={router} />)
  await act(() => router.navigate('/?page=2&edit=1', { replace: true }))
  expect(screen.queryByRole('alertdialog')).toBeNull()
  await act(() => router.navigate(-1))
  expect(router.state.location.search).toBe('?page=2&edit=1')
  await act(async () => fireEvent.click(await screen.findByRole('button', { name: 'Sair sem salvar' })))
  expect(router.state.location.search).toBe('')
})
