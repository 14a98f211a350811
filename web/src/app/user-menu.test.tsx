// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderAt } from '../../test/render'
import { UserMenu } from './user-menu'

let userName = ''
vi.mock('../auth/use-session', () => ({ useUser: () => ({ userName }) }))

test.each([
  ['Maria da Silva', 'MS'],
  ['Maria', 'M'],
  ['🌻 Maria Souza', '🌻S'],
])('the initials of %s are %s', (name, letters) => {
  userName = name
  renderAt('/', <UserMenu />)
  expect(screen.getByRole('button').textContent).toBe(letters)
})
