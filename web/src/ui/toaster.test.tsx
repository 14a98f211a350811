// @vitest-environment happy-dom
import { act, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { clearToasts, notifySuccess } from './toast'
import Toaster from './toaster'

vi.mock('./toast-place', () => ({ useToastTop: () => 0 }))

const STEP_MS = 500

/** In steps: what follows from a change is drawn at the end of each. */
async function pass(milliseconds: number) {
  for (let passed = 0; passed < milliseconds; passed += STEP_MS) await act(() => vi.advanceTimersByTimeAsync(STEP_MS))
}

const closeButtons = () => screen.queryAllByRole('button', { name: 'Fechar notificação' })

beforeEach(() => void vi.useFakeTimers())
afterEach(async () => {
  act(clearToasts)
  await pass(1_000)
})

async function show(...texts: string[]) {
  render(<Toaster />)
  for (const text of texts) act(() => notifySuccess(text))
  await pass(1_000)
}

test('a toast goes by itself after five seconds', async () => {
  await show('Plano alterado')
  expect(screen.getByText('Plano alterado')).toBeTruthy()
  await pass(5_000)
  expect(screen.queryByText('Plano alterado')).toBeNull()
})

test('no toast goes while the keyboard is among them', async () => {
  await show('Assinatura cancelada')
  const [close] = closeButtons()
  act(() => close?.focus())
  await pass(20_000)
  expect(screen.getByText('Assinatura cancelada')).toBeTruthy()
  act(() => close?.blur())
  await pass(6_000)
  expect(screen.queryByText('Assinatura cancelada')).toBeNull()
})

test('one that the keyboard closes does not hold the others', async () => {
  await show('Convite cancelado.', 'Plano alterado')
  const [close] = closeButtons()
  act(() => close?.focus())
  await pass(1_000)
  if (close) fireEvent.click(close)
  await pass(1_000)
  expect(closeButtons()).toHaveLength(1)
  await pass(6_000)
  expect(closeButtons()).toHaveLength(0)
})

test('who goes on from them gets where they want to, and not back to where they were', async () => {
  render(
    <>
      <input aria-label="Antes" />
      <input aria-label="Depois" />
    </>,
  )
  await show('Assinatura cancelada')
  act(() => screen.getByLabelText('Antes').focus())
  const [close] = closeButtons()
  act(() => close?.focus())
  // As a press or a Tab: the focus goes on when everybody has been told that it leaves.
  if (close) fireEvent.focusOut(close, { relatedTarget: screen.getByLabelText('Depois') })
  expect(document.activeElement).toBe(screen.getByLabelText('Depois'))
})
