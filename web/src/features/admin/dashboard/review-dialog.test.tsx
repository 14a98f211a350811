// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { payment } from '../../../../test/admin-payment'
import { answerOf } from '../../../../test/answer'
import { emptyCache } from '../../../../test/cache'
import { renderWith } from '../../../../test/render'
import { adminKeys } from '../../../api/admin'
import { api } from '../../../api/client'
import { ReviewDialog } from './review-dialog'

test.each([
  [{ received: 10_000 }, /^O plano de Ponto Central é liberado com o valor recebido, e R\$\s0,10 viram crédito\.$/],
  [{ received: 9_000 }, /, e a diferença de R\$\s9,90 é perdoada\.$/],
  [{ received: 9_000, superseded: true }, /^R\$\s90,00 viram crédito de Ponto Central: outro pagamento tomou/],
])('what accepting %o does with the money is said', (parts, consequence) => {
  const decision = { payment: { ...payment, ...parts }, outcome: 'accept' as const }
  renderWith(emptyCache(), <ReviewDialog decision={decision} onClose={() => undefined} />)
  screen.getByText(consequence)
})

test('what was decided is read again wherever the payment is shown', async () => {
  vi.spyOn(api, 'POST').mockResolvedValue(answerOf({ payment }))
  const queries = emptyCache()
  const shown = [adminKeys.payment(payment.id), adminKeys.reviews, adminKeys.company(payment.companyId)]
  for (const queryKey of shown) queries.setQueryData(queryKey, {})
  renderWith(queries, <ReviewDialog decision={{ payment, outcome: 'accept' }} onClose={() => undefined} />)
  fireEvent.change(screen.getByLabelText(/^Motivo/), { target: { value: 'Conferido no extrato' } })
  fireEvent.click(screen.getByRole('button', { name: 'Aceitar pagamento' }))
  const isStale = (queryKey: (typeof shown)[number]) => queries.getQueryState(queryKey)?.isInvalidated
  await waitFor(() => expect(shown.map(isStale)).toEqual([true, true, true]))
})
