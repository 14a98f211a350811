// @vitest-environment happy-dom
import { useState } from 'react'
import { act, fireEvent, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { emptyCache } from '../../../test/cache'
import { payment } from '../../../test/checkout'
import { renderAt, renderWith } from '../../../test/render'
import type { Payment } from '../../api/payments'
import { PaymentTable } from './payment-table'

const pix = payment({
  paymentMethod: 'PIX',
  currency: 'brl',
  createdAt: '2026-11-21T12:00:00Z',
  metadata: { planId: 'p1', billingCycle: 'monthly', changeType: 'creation' },
} as Payment)

test('payments of one plan are told apart by their day', () => {
  const older = { ...pix, id: 'older', createdAt: '2026-10-21T12:00:00Z' }
  renderAt('/', <PaymentTable payments={[pix, older]} plans={[]} canManage search="" />, emptyCache())
  for (const act of ['Detalhes', 'Ver PIX']) {
    screen.getByRole('link', { name: new RegExp(`^${act}: .*, 21/11/2026$`) })
    screen.getByRole('link', { name: new RegExp(`^${act}: .*, 21/10/2026$`) })
  }
  screen.getByRole('button', { name: /^Cancelar pagamento: .*, 21\/10\/2026$/ })
  expect(screen.getAllByRole('rowheader')).toHaveLength(2)
})

test('a payment of which another amount was accepted shows what came in, and went back as a whole', () => {
  const accepted = { ...pix, status: 'SUCCESS', received: 4000, refunded: 4000 } as const
  renderAt('/', <PaymentTable payments={[accepted]} plans={[]} canManage search="" />, emptyCache())
  screen.getByText(/^R\$\s40,00$/)
  screen.getByText('Reembolsado')
})

test.each(['Detalhes', 'Ver PIX'])('the list stays where it is below a payment that "%s" opens', async (way) => {
  const element = <PaymentTable payments={[pix]} plans={[]} canManage search="" />
  const router = createMemoryRouter([{ path: '*', element }])
  renderWith(emptyCache(), <RouterProvider router={router} />)
  await act(async () => fireEvent.click(screen.getByRole('link', { name: new RegExp(`^${way}`) })))
  expect(router.state.location.pathname).toBe(`/payments/${pix.id}`)
  expect(router.state.preventScrollReset).toBe(true)
})

test('the button that cancels a payment leaves the focus to the row', () => {
  function Shown() {
    const [shown, setShown] = useState(pix)
    return (
      <>
        <button onClick={() => setShown({ ...pix, status: 'CANCELLED' })}>Encerrar</button>
        <PaymentTable payments={[shown]} plans={[]} canManage search="" />
      </>
    )
  }
  renderAt('/', <Shown />, emptyCache())
  screen.getByRole('button', { name: /^Cancelar pagamento/ }).focus()
  fireEvent.click(screen.getByRole('button', { name: 'Encerrar' }))
  expect(document.activeElement).toBe(screen.getByRole('link', { name: /^Detalhes/ }))
})
