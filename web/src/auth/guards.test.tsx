// @vitest-environment happy-dom
import { act, cleanup, render, waitFor } from '@testing-library/react'
import { createMemoryRouter, RouterProvider, type RouteObject } from 'react-router'
import { afterEach, expect, test } from 'vitest'
import { AnonymousOnly } from './guards'
import { session } from './use-session'

const maria = { id: 'u1', userName: 'Maria', userEmail: 'maria@exemplo.com.br', userRole: 'user' as const }

let router: ReturnType<typeof createMemoryRouter>

function show(address: string) {
  const pages = ['/signin', '/forgot-password', '/verify-email'].map((path) => ({ path, element: null }))
  const routes: RouteObject[] = [
    { Component: AnonymousOnly, children: pages },
    { path: '*', element: null },
  ]
  router = createMemoryRouter(routes, { initialEntries: [address] })
  render(<RouterProvider router={router} />)
}

const signIn = () => act(() => session.signIn(maria, { accessToken: 'a', refreshToken: 'r', expiresIn: 900 }))
const arriveAt = (path: string) => waitFor(() => expect(router.state.location.pathname).toBe(path))

afterEach(() => {
  cleanup()
  session.expire()
  localStorage.clear()
})

test('who signed in in another tab is asked for nothing on the next page, and goes on to the plan', async () => {
  show('/verify-email')
  signIn()
  await arriveAt('/verify-email')
  await act(() => router.navigate('/signin?next=%2Fplans'))
  await arriveAt('/plans')
})

test('who signs in on the page itself stays for its welcome, also after its dialog', async () => {
  show('/forgot-password')
  await act(() => router.navigate('/signin'))
  signIn()
  await arriveAt('/signin')
})

test('who is signed in goes on from the verification of the own address, and may verify another one', async () => {
  signIn()
  show('/verify-email?email=Maria%40exemplo.com.br')
  await arriveAt('/dashboard')
  await act(() => router.navigate('/verify-email?email=bia%40exemplo.com.br'))
  await arriveAt('/verify-email')
})

test('who is signed in may have forgotten the password, and goes on from its dialog', async () => {
  signIn()
  show('/forgot-password')
  await arriveAt('/forgot-password')
  await act(() => router.navigate('/signin'))
  await arriveAt('/dashboard')
})
