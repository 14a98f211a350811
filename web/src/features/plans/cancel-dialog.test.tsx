// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { askingCache, renderWith } from '../../../test/render'
import { api } from '../../api/client'
import type { Subscription } from '../../api/subscriptions'
import { CancelDialog } from './cancel-dialog'

const subscription = { companyId: 'c1', status: 'active', plan: { displayName: 'Essencial' } } as Subscription

const show = () =>
  renderWith(
    askingCache(),
    <CancelDialog subscription={subscription} onClose={() => undefined} onReactivate={() => undefined} />,
  )
const area = () => screen.getByLabelText<HTMLTextAreaElement>(/^Motivo/)
const type = (value: string) => fireEvent.change(area(), { target: { value } })
const chip = (name: string) => screen.getByRole('button', { name })
/** A button takes a second press only after the first one is over. */
async function choose(name: string) {
  fireEvent.click(chip(name))
  await waitFor(() => expect(chip(name).getAttribute('aria-pressed')).toBe('true'))
}

test('a chosen reason goes in front of what was typed, in the place of another', async () => {
  show()
  await choose('Suporte')
  await choose('Preço')
  expect(area().value).toBe('Preço')
  type('Ficou caro para três pontos')
  await choose('Preço')
  expect(area().value).toBe('Preço: Ficou caro para três pontos')
  await choose('Outro')
  expect(area().value).toBe('Outro: Ficou caro para três pontos')
  expect(chip('Preço').getAttribute('aria-pressed')).toBe('false')
})

test('the reasons to choose from are a group with a name', () => {
  show()
  const reasons = within(screen.getByRole('group', { name: 'Sugestões' })).getAllByRole('button')
  expect(reasons).toHaveLength(6)
})

test('a chosen reason cuts nothing off a long text', () => {
  show()
  const long = 'a'.repeat(498)
  type(long)
  fireEvent.click(chip('Preço'))
  expect(area().value).toBe(long)
})

test('the marks of a copied text are no part of the reason', async () => {
  const post = vi.spyOn(api, 'POST').mockReturnValue(new Promise(() => {}) as never)
  show()
  type('Ligue para \u202a+55 11 98765-4321\u202c')
  fireEvent.click(screen.getByRole('button', { name: 'Cancelar Assinatura' }))
  await waitFor(() => expect(post).toHaveBeenCalledOnce())
  expect(post.mock.calls[0]?.[1]).toMatchObject({ body: { reason: 'Ligue para +55 11 98765-4321' } })
})
