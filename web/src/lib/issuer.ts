// Who offers Bipe, in words: the company that the settings name, as receipts and legal texts name it.
import { namedTaxId } from './tax-id'

interface Issuer {
  name: string
  taxId: string
  address: string
}

/** Name, tax id and address in one line; null until the settings name them, and from a server of an older build. */
export function issuerLine(issuer: Issuer | undefined): string | null {
  if (!issuer?.name) return null
  return [issuer.name, namedTaxId(issuer.taxId), issuer.address].filter(Boolean).join(', ')
}

/** What stands where the company should be named; in development with what to do about it. */
export function missingIssuer(environment: string): string {
  const missing = 'Os dados da empresa que oferece este site ainda não foram informados.'
  return environment === 'development'
    ? `${missing} Defina BIPE_LEGAL_NAME, BIPE_LEGAL_TAX_ID e BIPE_LEGAL_ADDRESS.`
    : missing
}
