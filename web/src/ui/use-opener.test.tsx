// @vitest-environment happy-dom
import { useState, type ReactNode } from 'react'
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { AlertDialog } from './alert-dialog'
import { Dialog } from './dialog'

type Shown = 'none' | 'loading' | 'question' | 'both'

interface PageProps {
  /** What the second dialog's button leaves. */
  after: Shown
  /** The row goes with what the dialog does. */
  removes?: boolean
}

function Page({ after, removes = false }: PageProps) {
  const [shown, setShown] = useState<Shown>('none')
  const [gone, setGone] = useState(false)
  const act = () => {
    setGone(removes)
    setShown(after)
  }
  return (
    <>
      <h1 tabIndex={-1}>Usuários</h1>
      {!gone && <button onClick={() => setShown('loading')}>Excluir Rita</button>}
      {(shown === 'loading' || shown === 'both') && (
        <Dialog onClose={() => setShown('none')} title="Excluir usuário">
          <button onClick={() => setShown('question')}>Pronto</button>
          <button onClick={() => setShown('both')}>Perguntar</button>
        </Dialog>
      )}
      {(shown === 'question' || shown === 'both') && (
        <AlertDialog
          onClose={() => setShown('none')}
          title="Excluir Rita?"
          description=""
          safeLabel="Cancelar"
          actLabel="Excluir"
          onAct={act}
        />
      )}
    </>
  )
}

async function press(name: string) {
  const button = await screen.findByRole('button', { name })
  button.focus()
  fireEvent.click(button)
}

const focused = () => document.activeElement?.textContent

test('a dialog that took the place of another one goes back to the opener of that one', async () => {
  render(<Page after="none" />)
  await press('Excluir Rita')
  await press('Pronto')
  await screen.findByText('Excluir Rita?')
  await press('Cancelar')
  await waitFor(() => expect(focused()).toBe('Excluir Rita'))
})

test('two dialogs that close at once go back to the opener of the outer one', async () => {
  render(<Page after="none" />)
  await press('Excluir Rita')
  await press('Perguntar')
  await press('Excluir')
  await waitFor(() => expect(focused()).toBe('Excluir Rita'))
})

test('the inner of two dialogs goes back into the outer one', async () => {
  render(<Page after="loading" />)
  await press('Excluir Rita')
  await press('Perguntar')
  await press('Excluir')
  await waitFor(() => expect(focused()).toBe('Perguntar'))
})

test('an opener that is gone, and stood in no card, leaves the focus to the heading of the page', async () => {
  render(<Page after="none" removes />)
  await press('Excluir Rita')
  await press('Pronto')
  await press('Excluir')
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1 })))
})

test('a button that got no focus from being pressed, as in Safari, has it when the dialog closes', async () => {
  render(<Page after="none" />)
  fireEvent.click(screen.getByRole('button', { name: 'Excluir Rita' }))
  fireEvent.click(await screen.findByRole('button', { name: 'Pronto' }))
  fireEvent.click(await screen.findByRole('button', { name: 'Cancelar' }))
  await waitFor(() => expect(focused()).toBe('Excluir Rita'))
})

test('a dialog that opens by itself after a press beside everything leads to the heading of the page', async () => {
  const { rerender } = render(<Page after="none" />)
  const page = (dialog: ReactNode) => (
    <>
      <Page after="none" />
      {dialog}
    </>
  )
  fireEvent.click(screen.getByRole('button', { name: 'Excluir Rita' }))
  fireEvent.click(await screen.findByRole('button', { name: 'Fechar' }))
  await waitFor(() => expect(focused()).toBe('Excluir Rita'))
  fireEvent.click(document.body)
  screen.getByRole('button', { name: 'Excluir Rita' }).blur()
  rerender(page(<Dialog onClose={() => rerender(page(null))} title="Sua sessão vai expirar" />))
  fireEvent.click(await screen.findByRole('button', { name: 'Fechar' }))
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1 })))
})

test('the title and the buttons of a dialog are no landmarks of the page', () => {
  render(
    <Dialog onClose={() => {}} title="Pagamento" footer={<button>Pagar</button>}>
      <p>R$ 49,90</p>
    </Dialog>,
  )
  const dialog = screen.getByRole('dialog')
  expect(dialog.querySelector('header, footer')).toBeNull()
})
