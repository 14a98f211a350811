// @vitest-environment happy-dom
import { fireEvent, render, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import type { UseQueryResult } from '@tanstack/react-query'
import type { SavedCard } from '../../api/payments'
import { announce } from '../../ui/announcer'
import { CardChoice, renewalCard, SaveCard, UnreadCards, useCardChoice } from './card-choice'

vi.mock('../../ui/announcer', { spy: true })

const saved = (id: string, isDefault: boolean, last4: string, expYear: number) =>
  ({ id, isDefault, card: { brand: 'visa', last4, expMonth: 12, expYear } }) as SavedCard
const visa = saved('pm_0', true, '4242', 2099)
const old = saved('pm_1', true, '1111', 2020)

interface ChoiceProps {
  known?: SavedCard[]
  isUnpaid?: boolean
  isTyped?: boolean
}

function Choice({ known = [visa], isUnpaid = false, isTyped = false }: ChoiceProps) {
  const choice = useCardChoice(known, isUnpaid, isTyped)
  return (
    <>
      <CardChoice choice={choice} disabled={false} />
      <SaveCard choice={choice} consent="Autorizo." disabled={false} />
      <output>{renewalCard(choice)}</output>
    </>
  )
}

test.each([
  [false, 'Visa 4242', 'As próximas cobranças continuam no Visa final 4242.'],
  [true, 'cartão novo', 'No lugar do Visa final 4242.'],
])('a new card takes the place of one that did not pay: %s', (isUnpaid, renewsOn, hint) => {
  render(<Choice isUnpaid={isUnpaid} />)
  expect(screen.queryByRole('checkbox')).toBeNull()
  fireEvent.click(screen.getByRole('radio', { name: 'Usar outro cartão' }))
  expect(screen.queryByRole('checkbox', { name: 'Usar nas próximas cobranças' })).toBeNull()
  fireEvent.click(screen.getByRole('checkbox', { name: 'Salvar cartão' }))
  screen.getByText(hint)
  expect(screen.getByRole('status').textContent).toBe(renewsOn)
  fireEvent.click(screen.getByRole('radio', { name: /^Visa final 4242/ }))
  expect(screen.getByRole('status').textContent).toBe('Visa 4242')
})

test('a card that is saved where there is none pays the renewals', () => {
  render(<Choice known={[]} />)
  expect(screen.getByRole('status').textContent).toBe('')
  fireEvent.click(screen.getByRole('checkbox', { name: 'Salvar cartão' }))
  expect(screen.getByRole('status').textContent).toBe('cartão salvo')
})

test.each([
  ['another one that is saved', [old, saved('pm_2', false, '4242', 2099)], /^Visa final 4242/],
  ['a new one where none is valid', [old], 'Usar outro cartão'],
])('a card that has expired says so, and is not chosen before %s', (_, known, chosen) => {
  render(<Choice known={known} />)
  expect(screen.getByRole('radio', { name: /^Visa final 1111/ }).parentElement?.textContent).toContain('Vencido')
  expect(screen.getByRole<HTMLInputElement>('radio', { name: chosen }).checked).toBe(true)
})

test('a default card that was refused is chosen last, and renews only when it pays', () => {
  const refused = { ...visa, isDeclined: true }
  render(<Choice known={[refused]} />)
  const other = screen.getByRole<HTMLInputElement>('radio', { name: 'Usar outro cartão' })
  expect(other.checked).toBe(true)
  expect(screen.getByRole('status').textContent).toBe('')
  fireEvent.click(screen.getByRole('checkbox', { name: 'Salvar cartão' }))
  expect(screen.getByRole('status').textContent).toBe('cartão novo')
  fireEvent.click(screen.getByRole('checkbox', { name: 'Usar nas próximas cobranças' }))
  screen.getByText('O Visa final 4242 foi recusado e não paga as próximas cobranças.')
  expect(screen.getByRole('status').textContent).toBe('')
  const radio = screen.getByRole('radio', { name: /^Visa final 4242/ })
  expect(radio.parentElement?.textContent).toContain('Recusado')
  fireEvent.click(radio)
  expect(screen.getByRole('status').textContent).toBe('Visa 4242')
})

test('a new card that is being typed stays the choice when a colleague saves one, until another is chosen', () => {
  const { rerender } = render(<Choice known={[]} isTyped />)
  rerender(<Choice isTyped />)
  const radio = (name: string | RegExp) => screen.getByRole<HTMLInputElement>('radio', { name })
  expect(radio('Usar outro cartão').checked).toBe(true)
  fireEvent.click(radio(/^Visa final 4242/))
  expect(radio(/^Visa final 4242/).checked).toBe(true)
})

test('a payment is moved to no other card when a colleague removes the chosen one, or makes another the default', () => {
  const other = saved('pm_2', false, '4444', 2099)
  const { rerender } = render(<Choice known={[visa, other]} />)
  const radio = (name: string | RegExp) => screen.getByRole<HTMLInputElement>('radio', { name })
  rerender(
    <Choice
      known={[
        { ...other, isDefault: true },
        { ...visa, isDefault: false },
      ]}
    />,
  )
  expect(radio(/^Visa final 4242/).checked).toBe(true)
  rerender(<Choice known={[{ ...other, isDefault: true }]} />)
  expect(radio('Usar outro cartão').checked).toBe(true)
  fireEvent.click(radio(/^Visa final 4444/))
  expect(radio(/^Visa final 4444/).checked).toBe(true)
})

test('that the saved cards could not be read is heard once, however often they are asked for again', () => {
  const saved = (isPending: boolean) => ({ isPending, error: null }) as UseQueryResult<SavedCard[]>
  const { rerender } = render(<UnreadCards saved={saved(false)} />)
  for (const isPending of [true, false]) rerender(<UnreadCards saved={saved(isPending)} />)
  expect(announce).toHaveBeenCalledExactlyOnceWith('Não foi possível ler os cartões salvos')
})
