// @vitest-environment happy-dom
import { cleanup, render } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { afterEach, expect, test } from 'vitest'
import LeaveGuard from './leave-guard'

afterEach(cleanup)

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
