// @vitest-environment happy-dom
import { fireEvent, render, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { ApiError } from '../../api/errors'
import { FactorForm } from './factor-form'

test('letters of a pasted code are told until the next digit is typed', () => {
  render(<FactorForm methods={['totp']} onProof={vi.fn()} onPasskey={vi.fn()} />)
  const field = screen.getByLabelText<HTMLInputElement>(/^Código do aplicativo/)
  fireEvent.paste(field, { clipboardData: { getData: () => '12a' } })
  expect(field.value).toBe('12')
  screen.getByText('Código deve conter apenas números')
  fireEvent.change(field, { target: { value: '123' } })
  expect(screen.queryByText('Código deve conter apenas números')).toBeNull()
})

test('a code that no server judged stays in its boxes, and a refused one makes room for the next', async () => {
  const onProof = vi
    .fn()
    .mockRejectedValueOnce(new ApiError('NETWORK_ERROR'))
    .mockRejectedValue(new ApiError('INVALID_SECOND_FACTOR', { status: 401 }))
  render(<FactorForm methods={['totp']} onProof={onProof} onPasskey={vi.fn()} />)
  const field = screen.getByLabelText<HTMLInputElement>(/^Código do aplicativo/)
  fireEvent.change(field, { target: { value: '123456' } })
  await screen.findByText('Erro de conexão. Verifique sua internet')
  expect(field.value).toBe('123456')
  fireEvent.click(screen.getByRole('button', { name: 'Confirmar' }))
  await screen.findByText('Código inválido, expirado ou já usado')
  expect(field.value).toBe('')
  expect(onProof.mock.calls).toEqual([[{ code: '123456' }], [{ code: '123456' }]])
})

test('another way to confirm takes the focus, for the button that chose it is gone', () => {
  render(<FactorForm methods={['passkey', 'totp', 'recovery']} onProof={vi.fn()} onPasskey={vi.fn()} />)
  const choose = (name: string) => fireEvent.click(screen.getByRole('button', { name }))
  expect(document.activeElement).toBe(document.body)
  choose('Usar o código do aplicativo')
  expect(document.activeElement).toBe(screen.getByLabelText(/^Código do aplicativo/))
  choose('Usar um código de recuperação')
  expect(document.activeElement).toBe(screen.getByLabelText(/^Código de recuperação/))
})

test('what is missing is told after a refusal, too', async () => {
  const onProof = vi.fn().mockRejectedValue(new ApiError('INVALID_SECOND_FACTOR', { status: 401 }))
  render(<FactorForm methods={['totp', 'recovery']} onProof={onProof} onPasskey={vi.fn()} />)
  const type = (label: RegExp, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } })
  const confirm = () => fireEvent.submit(screen.getByRole('button', { name: 'Confirmar' }))
  type(/^Código do aplicativo/, '123456')
  await screen.findByText('Código inválido, expirado ou já usado')
  type(/^Código do aplicativo/, '123')
  confirm()
  screen.getByText('Código deve ter 6 dígitos')
  fireEvent.click(screen.getByRole('button', { name: 'Usar um código de recuperação' }))
  type(/^Código de recuperação/, 'AAAA')
  confirm()
  await screen.findByText('Código inválido, expirado ou já usado')
  type(/^Código de recuperação/, '')
  confirm()
  screen.getByText('Este campo é obrigatório')
})

test('of a passkey that is refused nobody hears of a code', async () => {
  const onProof = vi.fn().mockRejectedValue(new ApiError('INVALID_SECOND_FACTOR', { status: 400 }))
  render(<FactorForm methods={['passkey', 'totp']} onProof={onProof} onPasskey={vi.fn()} />)
  fireEvent.click(screen.getByRole('button', { name: 'Usar chave de acesso' }))
  await screen.findByText('A chave de acesso não foi aceita. Tente novamente')
  expect(screen.queryByText(/^Código inválido/)).toBeNull()
})

test('a way that only a newer server knows is not offered', () => {
  render(<FactorForm methods={['sms' as 'totp', 'recovery']} onProof={vi.fn()} onPasskey={vi.fn()} />)
  screen.getByLabelText(/^Código de recuperação/)
  expect(screen.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['Confirmar'])
})
