// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import type { SavedMethod } from '../../api/payments'
import { CardChoice, SaveCard, useCardChoice } from './card-choice'

afterEach(cleanup)

const visa = { id: 'pm_0', isDefault: true, card: { brand: 'visa', last4: '4242' } } as SavedMethod

function Choice({ isUnpaid }: { isUnpaid: boolean }) {
  const choice = useCardChoice([visa], isUnpaid)
  return (
    <>
      <CardChoice choice={choice} disabled={false} />
      <SaveCard choice={choice} consent="Autorizo." disabled={false} />
      <output>{choice.prefers ? 'novo' : choice.renewsOn}</output>
    </>
  )
}

test.each([
  [false, 'Visa 4242', 'As próximas cobranças continuam no Visa final 4242.'],
  [true, 'novo', 'No lugar do Visa final 4242.'],
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
