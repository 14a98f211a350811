// @vitest-environment happy-dom
import { render, screen } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { pass } from '../../test/pass'
import { announce, Announcer } from './announcer'

beforeEach(() => void vi.useFakeTimers())

test('what comes within five seconds and still holds is said together, also when the clock was set back', async () => {
  render(<Announcer />)
  announce('Salvo')
  await pass(5_000)
  expect(screen.getByRole('status').textContent).toBe('Salvo')
  announce('Copiado')
  announce('Enviado')
  await pass(0)
  expect(screen.getByRole('status').textContent).toBe('Copiado. Enviado')
  vi.setSystemTime(Date.now() - 3_600_000)
  announce('Pago')
  await pass(5_000)
  expect(screen.getByRole('status').textContent).toBe('Pago')
  announce('12 faturas', 'found')
  announce('Enviado')
  announce('Nenhuma fatura', 'found')
  await pass(5_000)
  expect(screen.getByRole('status').textContent).toBe('Enviado. Nenhuma fatura')
})
