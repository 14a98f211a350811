// The payments of all companies: the calls below `/api/admin/payments`. Amounts are integer minor units.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { adminKeys, load, loadWithDataAge } from './admin'
import { api, unwrap, type Schemas } from './client'
import type { paths } from './schema'

export type AdminPayment = Schemas['AdminPayment']
export type AdminPaymentDetail = Schemas['AdminPaymentDetail']
export type PaymentFigures = Schemas['PaymentFigures']
export type PaymentSums = Schemas['PaymentSums']
export type Refund = Schemas['Refund']
export type RefundBlock = Schemas['RefundBlock']
type RefundRequest = Schemas['RefundRequest']
export type Resolution = Schemas['ResolveRequest']

export type AdminPaymentFilter = Pick<
  NonNullable<paths['/api/admin/payments']['get']['parameters']['query']>,
  'status' | 'method' | 'plan' | 'company' | 'from' | 'to' | 'search'
>

export type AdminPaymentSort = NonNullable<
  NonNullable<paths['/api/admin/payments']['get']['parameters']['query']>['sort']
>

const PAYMENTS = 20

export function adminPaymentsQuery(filter: AdminPaymentFilter, sort: AdminPaymentSort) {
  return infiniteQueryOptions({
    queryKey: [...adminKeys.payments, 'list', filter, sort],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...filter, sort, limit: PAYMENTS, ...(pageParam !== null && { after: pageParam }) }
      return load(api.GET('/api/admin/payments', { params: { query }, signal }))
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: keepPreviousData,
  })
}

export function paymentFiguresQuery(filter: AdminPaymentFilter) {
  return queryOptions({
    queryKey: [...adminKeys.paymentFigures, filter],
    queryFn: (context): Promise<PaymentFigures> =>
      loadWithDataAge(context, (signal) =>
        api.GET('/api/admin/payments/figures', { params: { query: filter }, signal }),
      ).then(({ figures }) => figures),
    placeholderData: keepPreviousData,
  })
}

export function adminPaymentQuery(id: string) {
  return queryOptions({
    queryKey: adminKeys.payment(id),
    queryFn: ({ signal }) =>
      load(api.GET('/api/admin/payments/{id}', { params: { path: { id } }, signal })).then(({ payment }) => payment),
  })
}

/** A repeat with the same key gives nothing back twice. */
export function refundPayment(id: string, body: RefundRequest, key: string): Promise<Refund> {
  const sent = { params: { path: { id } }, headers: { 'idempotency-key': key }, body }
  return unwrap(api.POST('/api/admin/payments/{id}/refunds', sent)).then(({ refund }) => refund)
}

// Payments under review

/** Few: each one holds its company up until a person decides. */
const MOST_REVIEWS = 100

export function reviewsQuery() {
  return queryOptions({
    queryKey: adminKeys.reviews,
    queryFn: ({ signal }) =>
      load(api.GET('/api/admin/payments', { params: { query: { review: true, limit: MOST_REVIEWS } }, signal })),
  })
}

export function resolvePayment(id: string, body: Resolution): Promise<AdminPayment> {
  return unwrap(api.POST('/api/admin/payments/{id}/resolve', { params: { path: { id } }, body })).then(
    ({ payment }) => payment,
  )
}
