// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { expect, test, vi } from 'vitest'
import { answerOf } from '../../../test/answer'
import { emptyCache } from '../../../test/cache'
import { answerReads, order, payment } from '../../../test/checkout'
import { renderWith } from '../../../test/render'
import { api } from '../../api/client'
import { ApiError } from '../../api/errors'
import { paymentKeys, paymentsQuery, type Payment } from '../../api/payments'
import { subscriptionKeys } from '../../api/subscriptions'
import { TooltipProvider } from '../../ui/tooltip'
import ResultDialog from './result-dialog'

vi.mock('../../auth/use-session', async (original) => ({
  ...(await original<object>()),
  useUser: () => ({ id: 'u1' }),
}))

const metadata = { planId: 'p1', billingCycle: 'monthly', changeType: 'creation' }
const pix = payment({
  paymentMethod: 'PIX',
  pixCode: '000201',
  currency: 'brl',
  createdAt: '2026-11-21T12:00:00Z',
  metadata,
} as Partial<Payment>)

const list = paymentsQuery('c1', {}, 1).queryKey
const subscription = subscriptionKeys.current('c1')

async function show() {
  answerReads(pix)
  const queries = emptyCache()
  queries.setQueryData(paymentKeys.one('c1', 'pay1'), pix)
  queries.setQueryData(list, { payments: [pix], total: 1, page: 1, totalPaid: 0 })
  queries.setQueryData(subscription, null)
  renderWith(
    queries,
    <TooltipProvider>
      <MemoryRouter>
        <ResultDialog companyId="c1" paymentId="pay1" order={order} canManage />
      </MemoryRouter>
    </TooltipProvider>,
  )
  const ask = async () => {
    fireEvent.click(await screen.findByRole('button', { name: 'Cancelar pagamento' }))
    return within(await screen.findByRole('alertdialog'))
  }
  const first = await ask()
  fireEvent.click(first.getByRole('button', { name: 'Cancelar pagamento' }))
  return { first, ask, queries }
}

test('the question before a payment is cancelled begins without the failure of the last time', async () => {
  const refusal = new ApiError('PROVIDER_UNAVAILABLE', { status: 503 })
  vi.spyOn(api, 'POST').mockRejectedValue(refusal)
  const { first, ask } = await show()
  await first.findByText(refusal.sentence)
  fireEvent.click(first.getByRole('button', { name: 'Manter pagamento' }))
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
  expect((await ask()).queryByText(refusal.sentence)).toBeNull()
})

test('why a payment could not be cancelled stays below it, without a code where nothing is broken', async () => {
  const refusal = new ApiError('PAYMENT_NOT_CANCELLABLE', { status: 409 })
  vi.spyOn(api, 'POST').mockRejectedValue(refusal)
  const { first } = await show()
  await first.findByText(refusal.sentence)
  fireEvent.click(first.getByRole('button', { name: 'Manter pagamento' }))
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
  screen.getByText(refusal.sentence)
  expect(screen.queryByText(refusal.code)).toBeNull()
})

test('a payment that is still open after its cancellation is not said to be cancelled', async () => {
  const open = { ...pix, version: 2 }
  vi.spyOn(api, 'POST').mockResolvedValue(answerOf({ payment: open }))
  const { first, queries } = await show()
  await first.findByText('O provedor ainda não confirmou. O cancelamento continua sozinho; avisaremos aqui.')
  queries.setQueryData(paymentKeys.one('c1', 'pay1'), { ...pix, status: 'CANCELLED', version: 3 })
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
  screen.getByText('Pagamento Cancelado')
})

test.each<[string, () => Promise<never>]>([
  ['is cancelled', async () => answerOf({ payment: { ...pix, status: 'CANCELLED', version: 2 } })],
  ['was paid meanwhile', () => Promise.reject(new ApiError('PAYMENT_NOT_CANCELLABLE', { status: 409 }))],
])('what shows a payment that %s is read again, though nothing live tells of it', async (_, answer) => {
  vi.spyOn(api, 'POST').mockImplementation(answer)
  const { queries } = await show()
  await waitFor(() => expect(queries.getQueryState(list)?.isInvalidated).toBe(true))
  // The page shows the plan of this one, so it is read at once.
  expect(api.GET).toHaveBeenCalledWith('/api/subscriptions/company/{id}', expect.anything())
})
