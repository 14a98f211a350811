// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { afterEach, expect, test } from 'vitest'
import { ResetPasswordPage } from './reset-password'

afterEach(cleanup)

test.each([
  ['?email=maria@exemplo.com.br', true],
  ['', false],
])('with the query "%s" the code has the focus: %s', (query, has) => {
  render(
    <MemoryRouter initialEntries={[`/reset-password${query}`]}>
      <ResetPasswordPage />
    </MemoryRouter>,
  )
  expect(document.activeElement === screen.getByLabelText(/^Código/)).toBe(has)
})
