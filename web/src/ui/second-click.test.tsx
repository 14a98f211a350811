// @vitest-environment happy-dom
import { act, createEvent, fireEvent, render, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { AlertDialog } from './alert-dialog'
import { Dialog } from './dialog'
import { Sheet } from './sheet'

/** The event as it happens so many milliseconds from now. */
function fireIn(ms: number, target: Element, event: Event): void {
  fireEvent(target, Object.defineProperty(event, 'timeStamp', { value: performance.now() + ms }))
}

function clickIn(ms: number, target: Element, detail: number, pointerType = 'mouse'): void {
  fireEvent(target, createEvent.pointerDown(target, { pointerType }))
  fireIn(ms, target, createEvent.click(target, { detail }))
}

const pressed = vi.fn()
const parts = {
  dialog: (
    <Dialog onClose={vi.fn()} title="Pagamento Seguro">
      <button onClick={pressed}>Pagar</button>
    </Dialog>
  ),
  sheet: (
    <Sheet onClose={vi.fn()} title="Pagamento">
      <button onClick={pressed}>Pagar</button>
    </Sheet>
  ),
  question: (
    <AlertDialog onClose={vi.fn()} title="Pagar?" description="" safeLabel="Voltar" actLabel="Pagar" onAct={pressed} />
  ),
}

test.each(Object.entries(parts))('what a double click opened as %s is not pressed by its second click', (_, part) => {
  pressed.mockClear()
  render(part)
  const pay = screen.getByRole('button', { name: 'Pagar' })
  clickIn(150, pay, 2)
  clickIn(150, pay, 1, 'touch')
  expect(pressed).not.toHaveBeenCalled()
  clickIn(150, pay, 1)
  expect(pressed).toHaveBeenCalledOnce()
})

test('a later double click and the keyboard press what they are meant for', () => {
  pressed.mockClear()
  render(parts.dialog)
  const pay = screen.getByRole('button', { name: 'Pagar' })
  clickIn(600, pay, 2)
  clickIn(600, pay, 1, 'touch')
  fireIn(150, pay, createEvent.click(pay, { detail: 0 }))
  expect(pressed).toHaveBeenCalledTimes(3)
})

test.each([
  ['dialog', Dialog],
  ['sheet', Sheet],
])('the second click of a double click does not close the %s that the first one opened', async (_, Part) => {
  vi.useFakeTimers()
  const close = vi.fn()
  render(
    <Part onClose={close} title="Adicionar Usuário">
      Email
    </Part>,
  )
  // Radix listens from the next turn on.
  await act(() => vi.advanceTimersByTimeAsync(1))
  const clickOutsideIn = (ms: number) => {
    fireIn(ms, document.body, createEvent.pointerDown(document.body))
    fireEvent.click(document.body)
  }
  clickOutsideIn(150)
  expect(close).not.toHaveBeenCalled()
  // Pressed down it would move the focus.
  fireIn(150, document.body, createEvent.mouseDown(document.body, { detail: 1 }))
  const second = createEvent.mouseDown(document.body, { detail: 2 })
  fireIn(150, document.body, second)
  expect(second.defaultPrevented).toBe(true)
  clickOutsideIn(600)
  expect(close).toHaveBeenCalledOnce()
})
