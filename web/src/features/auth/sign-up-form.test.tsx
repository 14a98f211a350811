// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { afterEach, expect, test, vi } from 'vitest'
import { ApiError } from '../../api/errors'
import { SignUpFormFields } from './sign-up-form'

afterEach(cleanup)

const email = 'maria@exemplo.com.br'
const next = '/plans?plan=p1&cycle=yearly'
const words: [label: RegExp, value: string][] = [
  [/^Nome Completo/, 'Maria Silva'],
  [/^Email/, email],
  [/^CPF/, '529.982.247-25'],
  [/^Telefone/, '(11) 98765-4321'],
  [/^Data de Nascimento/, '1990-05-10'],
  [/^Senha/, 'Senha@2026'],
  [/^Confirmar Senha/, 'Senha@2026'],
]

test('an address that has an account leads to it with the plan that was chosen', async () => {
  const onSubmit = vi.fn().mockRejectedValue(new ApiError('EMAIL_EXISTS'))
  render(
    <MemoryRouter>
      <SignUpFormFields address="" next={next} onSubmit={onSubmit} />
    </MemoryRouter>,
  )
  for (const [label, value] of words)
    await act(async () => fireEvent.change(screen.getByLabelText(label), { target: { value } }))
  for (const box of screen.getAllByRole('checkbox')) await act(async () => fireEvent.click(box))
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Criar Conta' })))
  expect(onSubmit).toHaveBeenCalledTimes(1)
  const query = new URLSearchParams({ email, next })
  expect(screen.getByRole('link', { name: 'Entrar' }).getAttribute('href')).toBe(`/signin?${query}`)
  expect(screen.getByRole('link', { name: 'recuperar a senha' }).getAttribute('href')).toBe(`/forgot-password?${query}`)
})
