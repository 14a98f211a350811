// What else an end of the subscription takes away, in sentences after the one that says what ends.
import { isIssuedBoleto } from '../../api/payment-methods'
import type { Subscription } from '../../api/subscriptions'

export function endConsequences({ pendingChange, payment }: Pick<Subscription, 'pendingChange' | 'payment'>): string {
  const change = pendingChange ? ` A mudança para ${pendingChange.planName} deixa de valer.` : ''
  if (!payment) return change
  return isIssuedBoleto(payment)
    ? `${change} O boleto emitido continua valendo; se for pago, o valor vira crédito da empresa.`
    : `${change} O pagamento em aberto é cancelado.`
}
