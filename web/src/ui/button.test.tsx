// @vitest-environment happy-dom
import { fireEvent, render, screen } from '@testing-library/react'
import { QueryClient, useMutation } from '@tanstack/react-query'
import { expect, test, vi } from 'vitest'
import { renderWith } from '../../test/render'
import { Button } from './button'

const press = () => fireEvent.click(screen.getByRole('button'))

test('the second press of a double one begins nothing, also before the first is rendered as busy', async () => {
  const save = vi.fn().mockResolvedValue(null)
  function Save() {
    const saving = useMutation({ mutationFn: save })
    return (
      <Button onClick={() => saving.mutate()} busy={saving.isPending && 'Salvando...'}>
        Salvar
      </Button>
    )
  }
  renderWith(new QueryClient(), <Save />)
  press()
  press()
  await screen.findByRole('button', { name: 'Salvar' })
  expect(save).toHaveBeenCalledOnce()
  press()
  await vi.waitFor(() => expect(save).toHaveBeenCalledTimes(2))
})

test('nor does it send a form twice', () => {
  const send = vi.fn((event: React.FormEvent) => event.preventDefault())
  render(
    <form onSubmit={send}>
      <Button type="submit">Enviar</Button>
    </form>,
  )
  press()
  press()
  expect(send).toHaveBeenCalledOnce()
})

test('a busy button is called what it shows, also where it has a longer name', () => {
  const ending = (busy: boolean) => (
    <Button aria-label="Encerrar Firefox" busy={busy && 'Encerrando...'}>
      Encerrar
    </Button>
  )
  const { rerender } = render(ending(false))
  screen.getByRole('button', { name: 'Encerrar Firefox' })
  rerender(ending(true))
  screen.getByRole('button', { name: 'Encerrando...' })
})
