// @vitest-environment happy-dom
import { fireEvent, render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { expect, test, vi } from 'vitest'
import { forgotPassword } from '../../api/auth'
import ForgotPasswordDialog from './forgot-password'

vi.mock('../../api/auth')

test('the way on takes the focus, and says where the code went', async () => {
  vi.mocked(forgotPassword).mockResolvedValue(undefined as never)
  render(<ForgotPasswordDialog address="maria@exemplo.com.br" next={null} onClose={() => undefined} />, {
    wrapper: MemoryRouter,
  })
  fireEvent.click(screen.getByRole('button', { name: 'Enviar código' }))
  const on = await screen.findByRole('link', { name: 'Redefinir Senha' })
  expect(document.activeElement).toBe(on)
  expect(document.getElementById(on.getAttribute('aria-describedby') ?? '')?.textContent).toBe(
    'Enviamos um código de 6 dígitos para maria@exemplo.com.br. Ele expira em 15 minutos.',
  )
})
