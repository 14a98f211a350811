// @vitest-environment happy-dom
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { Announcer } from '../../../ui/announcer'
import { PasswordStep } from './password-step'

test('a missing password leads to its field, and is announced to who is there already', async () => {
  const onNext = vi.fn()
  render(
    <>
      <PasswordStep isFirst text="" busy={false} error={null} onNext={onNext} />
      <Announcer />
    </>,
  )
  const send = () => fireEvent.click(screen.getByRole('button', { name: 'Continuar' }))
  send()
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Sua senha atual')))
  expect(screen.getByRole('status').textContent).toBe('')
  send()
  await waitFor(() => expect(screen.getByRole('status').textContent).toBe('Este campo é obrigatório'))
  expect(onNext).not.toHaveBeenCalled()
})

test('the password stays when the news of the factor comes before its answer', () => {
  const step = (isFirst: boolean) => <PasswordStep isFirst={isFirst} text="" busy error={null} onNext={vi.fn()} />
  const { rerender } = render(step(true))
  rerender(step(false))
  screen.getByLabelText('Sua senha atual')
})
