// @vitest-environment happy-dom
import { cleanup, render, screen, waitFor } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { afterEach, expect, test, vi } from 'vitest'
import { Crash } from './crash'

afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})

function Broken(): never {
  throw new Error('broken screen')
}

test('a screen that threw says so, with the focus on the title and the error among the details', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const routes = [{ path: '/', Component: Broken, ErrorBoundary: Crash }]
  render(<RouterProvider router={createMemoryRouter(routes)} />)
  await waitFor(() => expect(document.activeElement?.textContent).toBe('Algo deu errado'))
  screen.getByText('broken screen')
})
