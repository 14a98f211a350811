// @vitest-environment happy-dom
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { Announcer } from './announcer'
import { CopyField } from './copy-field'
import { Dialog } from './dialog'

test('a copy that the browser refused is told to everybody', async () => {
  vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new DOMException('denied', 'NotAllowedError'))
  vi.spyOn(console, 'warn').mockReturnValue(undefined)
  render(
    <>
      <CopyField label="Código PIX" value="000201" copyLabel="Copiar código PIX" />
      <Announcer />
    </>,
  )
  fireEvent.click(screen.getByRole('button', { name: 'Copiar código PIX' }))
  const sentence = 'Não foi possível copiar. Selecione e copie manualmente.'
  await waitFor(() => expect(screen.getByRole('status').textContent).toBe(sentence))
  expect(screen.getByText(sentence, { selector: 'p' })).toBeTruthy()
})

test('a copy that fails takes back that the one before it succeeded', async () => {
  vi.spyOn(navigator.clipboard, 'writeText')
    .mockResolvedValueOnce(undefined)
    .mockRejectedValue(new DOMException('denied', 'NotAllowedError'))
  vi.spyOn(console, 'warn').mockReturnValue(undefined)
  render(<CopyField label="Código PIX" value="000201" copyLabel="Copiar código PIX" />)
  fireEvent.click(screen.getByRole('button', { name: 'Copiar código PIX' }))
  const confirmed = await screen.findByRole('button', { name: 'Código Copiado!' })
  // The second click of a double click is ignored.
  await new Promise((resolve) => setTimeout(resolve))
  fireEvent.click(confirmed)
  await screen.findByText('Não foi possível copiar. Selecione e copie manualmente.')
  expect(screen.queryByRole('button', { name: 'Código Copiado!' })).toBeNull()
})

test('a second copy is confirmed for as long as the first', async () => {
  vi.useFakeTimers()
  vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue(undefined)
  render(<CopyField label="Código PIX" value="000201" copyLabel="Copiar código PIX" />)
  const button = screen.getByRole('button')
  const pass = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds))
  const copy = () => act(async () => fireEvent.click(button))
  await copy()
  await pass(1_900)
  await copy()
  await pass(1_900)
  expect(button.textContent).toBe('Código Copiado!')
  await pass(100)
  expect(button.textContent).toBe('Copiar código PIX')
})

test('in a dialog, where the browser refused, the old command copies and the button keeps the focus', async () => {
  vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new DOMException('denied', 'NotAllowedError'))
  let copied: string | undefined
  document.execCommand = () => {
    const area = document.activeElement
    copied = area instanceof HTMLTextAreaElement ? area.value : undefined
    return copied !== undefined
  }
  render(
    <Dialog onClose={() => undefined} title="PIX">
      <CopyField label="Código PIX" value="000201" copyLabel="Copiar código PIX" />
    </Dialog>,
  )
  const button = screen.getByRole('button', { name: 'Copiar código PIX' })
  button.focus()
  fireEvent.click(button)
  await screen.findByRole('button', { name: 'Código Copiado!' })
  expect(copied).toBe('000201')
  expect(document.activeElement).toBe(button)
})
