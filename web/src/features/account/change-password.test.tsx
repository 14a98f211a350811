// @vitest-environment happy-dom
import { fireEvent, screen } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { askingCache, renderWith } from '../../../test/render'
import { api } from '../../api/client'
import { ApiError } from '../../api/errors'
import { ChangePasswordDialog } from './change-password'

const onClose = vi.fn()
const type = (label: RegExp, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } })

beforeEach(() => {
  renderWith(askingCache(), <ChangePasswordDialog userEmail="maria@exemplo.com.br" onClose={onClose} />)
  type(/^Senha atual/, 'Bipe#2026')
})

test('what was typed is not lost without a question', async () => {
  fireEvent.click(screen.getByRole('button', { name: 'Fechar' }))
  await screen.findByText('As alterações não salvas serão perdidas.')
  expect(onClose).not.toHaveBeenCalled()
  fireEvent.click(screen.getByRole('button', { name: 'Sair sem salvar' }))
  expect(onClose).toHaveBeenCalledOnce()
})

test('after a lost answer a current password that is wrong does not say that nothing happened', async () => {
  const wrong = new ApiError('VALIDATION_ERROR', { status: 422, fields: { currentPassword: 'INVALID' } })
  vi.spyOn(api, 'PUT').mockRejectedValueOnce(new ApiError('NETWORK_ERROR')).mockRejectedValue(wrong)
  type(/^Nova senha/, 'Nova#2026x')
  type(/^Confirmar nova senha/, 'Nova#2026x')
  const send = () => fireEvent.click(screen.getByRole('button', { name: 'Alterar senha' }))
  send()
  await screen.findByText('Erro de conexão. Verifique sua internet')
  send()
  await screen.findByText('A senha pode já ter sido trocada. Tente entrar com a nova.')
  expect(screen.queryByText('Senha incorreta')).toBeNull()
})
