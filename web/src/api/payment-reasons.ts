// Why a payment failed, in plain words: from our own failure code, or from the code of a card provider.
import type { FailureCode, Payment } from './payments'

/** What a provider in test mode takes. */
export const TEST_CARD = '4242 4242 4242 4242'

const SENTENCES: Record<FailureCode, string> = {
  declined: 'O banco recusou o pagamento. Tente outro cartão ou fale com o seu banco.',
  insufficient_funds: 'O cartão não tem saldo ou limite suficiente.',
  expired_card: 'O cartão está vencido.',
  incorrect_cvc: 'O código de segurança está incorreto.',
  incorrect_number: 'O número do cartão está incorreto.',
  authentication_required: 'O banco não confirmou a autenticação.',
  processing_error: 'Houve um erro no processamento. Tente novamente em instantes.',
  payment_expired: 'O prazo para pagar terminou.',
  under_review: 'O pagamento está em análise. Avisaremos quando houver uma resposta.',
  other: 'O pagamento não foi concluído.',
}

/**
 * Codes of the provider that are told apart; lost, stolen and fraud read as a plain decline, like everything else.
 * `other` is our own: no bank was asked.
 */
const PROVIDER_CODES: Record<string, FailureCode> = {
  insufficient_funds: 'insufficient_funds',
  expired_card: 'expired_card',
  incorrect_cvc: 'incorrect_cvc',
  invalid_cvc: 'incorrect_cvc',
  incorrect_number: 'incorrect_number',
  invalid_number: 'incorrect_number',
  authentication_required: 'authentication_required',
  payment_intent_authentication_failure: 'authentication_required',
  setup_intent_authentication_failure: 'authentication_required',
  processing_error: 'processing_error',
  other: 'other',
}

export function reasonOf(payment: Pick<Payment, 'failureCode'>): string {
  return SENTENCES[payment.failureCode ?? 'other'] ?? SENTENCES.other
}

export function reasonOfProvider(code: string): string {
  if (code === 'test_mode_live_card') return `Ambiente de testes: use um cartão de teste, como ${TEST_CARD}.`
  return SENTENCES[PROVIDER_CODES[code] ?? 'declined']
}
