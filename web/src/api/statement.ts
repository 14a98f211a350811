// What a company reads about its money, and its cache keys: the credit ledger, the statement, the figures by month.
// Amounts are integer minor units.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Days } from '../ui/day-range'
import type { KindFilter } from '../ui/list-filters'
import { api, unwrap, type Schemas } from './client'

export type LedgerEntry = Schemas['LedgerEntry']
export type CreditKind = Schemas['CreditKind']
export type Transaction = Schemas['Transaction']
export type TransactionKind = Schemas['TransactionKind']
export type TransactionPage = Schemas['Transactions']
export type MoneySubject = Schemas['MoneySubject']
export type Spending = Schemas['Spending']
export type SpendingMonth = Schemas['SpendingMonth']

export type TransactionFilter = KindFilter<TransactionKind>

const ENTRIES = 20

/** Everything below is read again when money of the company moved. */
export const statementKeys = {
  ofCompany: (companyId: string) => ['statement', companyId] as const,
}

/** The balance, and the entries of the ledger, newest first, part by part. */
export function balanceQuery(companyId: string, days: Days) {
  return infiniteQueryOptions({
    queryKey: [...statementKeys.ofCompany(companyId), 'balance', days],
    queryFn: ({ pageParam: before, signal }) => {
      const query = { ...days, limit: ENTRIES, ...(before && { before }) }
      return unwrap(api.GET('/api/companies/{id}/balance', { params: { path: { id: companyId }, query }, signal }))
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next ?? undefined,
    select: ({ pages }) => ({ balance: pages[0]?.balance ?? 0, entries: pages.flatMap(({ entries }) => entries) }),
    placeholderData: keepPreviousData,
  })
}

export function transactionsPage(
  companyId: string,
  filter: TransactionFilter,
  page: number,
  limit: number,
  signal?: AbortSignal,
): Promise<TransactionPage> {
  return unwrap(
    api.GET('/api/companies/{id}/transactions', {
      params: { path: { id: companyId }, query: { page, limit, ...filter } },
      signal,
    }),
  )
}

export function transactionsQuery(companyId: string, filter: TransactionFilter, page: number, limit: number) {
  return queryOptions({
    queryKey: [...statementKeys.ofCompany(companyId), 'transactions', filter, page, limit],
    queryFn: ({ signal }) => transactionsPage(companyId, filter, page, limit, signal),
    placeholderData: keepPreviousData,
  })
}

export function spendingQuery(companyId: string, months: number) {
  return queryOptions({
    queryKey: [...statementKeys.ofCompany(companyId), 'spending', months],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/companies/{id}/spending', { params: { path: { id: companyId }, query: { months } }, signal }),
      ),
    placeholderData: keepPreviousData,
  })
}
