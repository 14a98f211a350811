// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { payment } from '../../../../test/admin-payment'
import { emptyCache } from '../../../../test/cache'
import { renderAt } from '../../../../test/render'
import { reviewsQuery } from '../../../api/admin-payments'
import ReviewSheet from './review-sheet'

test('whoever decides on a payment can look at it first', () => {
  const queries = emptyCache()
  queries.setQueryData(reviewsQuery().queryKey, { payments: [payment], page: 1, total: 1 } as never)
  renderAt('/admin/dashboard', <ReviewSheet onClose={() => undefined} />, queries)
  const link = screen.getByRole('link', { name: 'Ver pagamento de Ponto Central' })
  expect(link.getAttribute('href')).toBe(`/admin/payments?payment=${payment.id}`)
})
