// @vitest-environment happy-dom
import { render, screen } from '@testing-library/react'
import { test, vi } from 'vitest'
import { paths } from '../lib/paths'
import { routes } from './router'

vi.mock('../features/auth/auth-layout', () => {
  throw new TypeError('Failed to fetch dynamically imported module')
})

test.each([paths.signIn, paths.resetPassword])(
  'whoever comes to %s without network reads that, and not that we made an error',
  async (path) => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
    const all = routes.flatMap(({ children = [] }) => children).flatMap((route) => [route, ...(route.children ?? [])])
    const frame = all.find((route) => route.lazy && route.children?.some((page) => page.path === path))
    if (typeof frame?.lazy !== 'function') throw new Error('a frame without code')
    const { Component } = await frame.lazy()
    if (!Component) throw new Error('a frame without a component')
    render(<Component />)
    screen.getByText('Erro de conexão. Verifique sua internet')
    screen.getByRole('button', { name: 'Tentar Novamente' })
  },
)
