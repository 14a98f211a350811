// @vitest-environment happy-dom
import { useState } from 'react'
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { QueryClient } from '@tanstack/react-query'
import { afterEach, expect, test, vi } from 'vitest'
import { answerOf } from '../../../test/answer'
import { renderWith } from '../../../test/render'
import { api } from '../../api/client'
import { ApiError } from '../../api/errors'
import { ChangeEmailDialog } from './change-email'

afterEach(() => {
  cleanup()
  sessionStorage.clear()
})

function Opener() {
  const [open, setOpen] = useState(false)
  return (
    <>
      <button onClick={() => setOpen(true)}>Abrir</button>
      {open && <ChangeEmailDialog onClose={() => setOpen(false)} />}
    </>
  )
}

const open = () => fireEvent.click(screen.getByText('Abrir'))

/** The dialog with its first step done. */
async function askForCode() {
  const post = vi.spyOn(api, 'POST').mockResolvedValue({ response: new Response(null, { status: 204 }) } as never)
  renderWith(new QueryClient(), <Opener />)
  open()
  fireEvent.change(screen.getByLabelText(/^Novo email/), { target: { value: 'rita@exemplo.com.br' } })
  fireEvent.change(screen.getByLabelText(/^Senha atual/), { target: { value: 'Bipe#2026' } })
  fireEvent.click(screen.getByRole('button', { name: 'Enviar código' }))
  await screen.findByLabelText(/^Código de verificação/)
  return post
}

test('a refused code makes room for the next one', async () => {
  const post = await askForCode()
  vi.spyOn(api, 'GET').mockRejectedValue(new ApiError('NETWORK_ERROR'))
  post.mockRejectedValue(new ApiError('INVALID_VERIFICATION_CODE'))
  const code = screen.getByLabelText<HTMLInputElement>(/^Código de verificação/)
  fireEvent.change(code, { target: { value: '111111' } })
  fireEvent.click(screen.getByRole('button', { name: 'Alterar email' }))
  await screen.findByText('Código de verificação inválido ou expirado')
  expect(code.value).toBe('')
})

test('a code whose answer was lost has changed the address: the next try finds it used, and says so', async () => {
  const post = await askForCode()
  vi.spyOn(api, 'GET').mockResolvedValue(answerOf({ user: { userEmail: 'rita@exemplo.com.br' } }))
  post.mockRejectedValueOnce(new ApiError('NETWORK_ERROR'))
  post.mockRejectedValueOnce(new ApiError('INVALID_VERIFICATION_CODE'))
  const code = screen.getByLabelText<HTMLInputElement>(/^Código de verificação/)
  fireEvent.change(code, { target: { value: '111111' } })
  fireEvent.click(screen.getByRole('button', { name: 'Alterar email' }))
  await screen.findByText('Erro de conexão. Verifique sua internet')
  fireEvent.click(screen.getByRole('button', { name: 'Alterar email' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

test('a closed dialog opens again where the code is asked for', async () => {
  await askForCode()
  fireEvent.click(screen.getByRole('button', { name: 'Fechar' }))
  open()
  screen.getByLabelText(/^Código de verificação/)

  // Another code asks for the password again, which was not kept, but not for the address.
  fireEvent.click(screen.getByRole('button', { name: 'Reenviar código' }))
  expect(screen.getByLabelText<HTMLInputElement>(/^Novo email/).value).toBe('rita@exemplo.com.br')
  fireEvent.click(screen.getByRole('button', { name: 'Cancelar' }))
  open()
  fireEvent.click(screen.getByRole('button', { name: 'Usar outro email' }))
  expect(screen.getByLabelText<HTMLInputElement>(/^Novo email/).value).toBe('')
  fireEvent.click(screen.getByRole('button', { name: 'Cancelar' }))
  open()
  screen.getByLabelText(/^Novo email/)
})

test('an address that was typed is not lost without a question', async () => {
  renderWith(new QueryClient(), <Opener />)
  open()
  fireEvent.change(screen.getByLabelText(/^Novo email/), { target: { value: 'rita@exemplo.com.br' } })
  fireEvent.click(screen.getByRole('button', { name: 'Fechar' }))
  await screen.findByText('As alterações não salvas serão perdidas.')
  fireEvent.click(screen.getByRole('button', { name: 'Sair sem salvar' }))
  expect(screen.queryByLabelText(/^Novo email/)).toBeNull()
})
