// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest'
import { watchTheme } from './theme'

test('a system that turned dark before the app began, and one that turns light again, are followed', () => {
  let prefersDark = true
  let turn = () => {}
  vi.stubGlobal('matchMedia', () => ({
    matches: prefersDark,
    addEventListener: (_: string, listener: () => void) => (turn = listener),
  }))
  const page = document.documentElement.dataset
  page.theme = 'light'
  watchTheme()
  expect(page.theme).toBe('dark')
  prefersDark = false
  turn()
  expect(page.theme).toBe('light')
})
