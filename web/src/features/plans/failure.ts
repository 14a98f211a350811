// How a refused step of a subscription is titled. Pure.
import type { ApiError } from '../../api/errors'

export interface ChangeFailure {
  title: string
  error: ApiError
}

/** What is about a payment is called a payment error, whichever step met it. */
export function titleOf({ code, message }: Pick<ApiError, 'code' | 'message'>, title: string): string {
  return /payment/i.test(`${code} ${message}`) ? 'Erro ao processar pagamento' : title
}
