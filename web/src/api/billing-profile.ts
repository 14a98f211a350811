// Whom a company's receipts and boletos are made out to, and the address of a postal code.
import { queryOptions } from '@tanstack/react-query'
import { api, sendWithoutRetries, unwrap, type Schemas } from './client'
import { companyKeys } from './companies'

export type BillingProfile = Schemas['BillingProfileView']
export type BillingProfileForm = Schemas['BillingProfileRequest']
export type FoundAddress = Schemas['FoundAddress']

/** Null before anybody has filled it in. */
export function billingProfileQuery(companyId: string) {
  return queryOptions({
    queryKey: companyKeys.billingProfile(companyId),
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/companies/{id}/billing-profile', { params: { path: { id: companyId } }, signal })).then(
        ({ billingProfile }) => billingProfile ?? null,
      ),
  })
}

/** 409 when somebody has saved another version since the one that `body` was made of. */
export function saveBillingProfile(companyId: string, body: BillingProfileForm): Promise<BillingProfile> {
  return unwrap(api.PUT('/api/companies/{id}/billing-profile', { params: { path: { id: companyId } }, body })).then(
    ({ billingProfile }) => billingProfile,
  )
}

/** Asked once: whoever waits for it types meanwhile. */
export function findAddress(cep: string, signal: AbortSignal): Promise<FoundAddress> {
  return unwrap(api.GET('/api/addresses/{cep}', { params: { path: { cep } }, signal, fetch: sendWithoutRetries })).then(
    ({ address }) => address,
  )
}
