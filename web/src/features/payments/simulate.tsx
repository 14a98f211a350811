// 'Simular pagamento': while the sandbox is the provider, the person decides how the payment ends. The dialog then
// changes by the sandbox's webhook, as it would with a real provider.
import { useMutation } from '@tanstack/react-query'
import { ProviderRefusal } from '../../api/errors'
import { methodKind } from '../../api/payment-methods'
import type { Payment, Provider } from '../../api/payments'
import { settleIntent, type SettleOutcome } from '../../api/sandbox'
import { isFailure } from '../../lib/failure'
import { Button } from '../../ui/button'

const OUTCOMES: readonly [SettleOutcome, string][] = [
  ['succeeded', 'Aprovar'],
  ['expired', 'Expirar'],
  ['failed', 'Recusar'],
]

export function Simulate({ payment, provider }: { payment: Payment; provider: Provider }) {
  const { transactionId, paymentMethod } = payment
  const settle = useMutation({
    mutationFn: (outcome: SettleOutcome) => settleIntent(provider, transactionId ?? '', outcome),
  })
  if (!transactionId || methodKind(paymentMethod) === 'card') return null
  return (
    <section
      aria-label="Simular pagamento"
      className="grid gap-2 rounded-badge border border-dashed border-beam px-3 py-2.5"
    >
      <div className="flex flex-wrap items-center gap-2">
        <div className="mr-auto grid">
          <span className="text-caption font-medium text-beam-text">Ambiente de testes</span>
          <h3 className="text-body font-semibold">Simular pagamento</h3>
        </div>
        <div className="flex gap-2">
          {OUTCOMES.map(([outcome, label]) => (
            <Button
              key={outcome}
              variant="secondary"
              size="small"
              onClick={() => settle.mutate(outcome)}
              disabled={settle.isPending}
              busy={settle.isPending && settle.variables === outcome && 'Simulando...'}
            >
              {label}
            </Button>
          ))}
        </div>
      </div>
      {settle.error && <output className="text-danger">{reasonOf(settle.error)}</output>}
    </section>
  )
}

function reasonOf(error: Error): string {
  if (error instanceof ProviderRefusal) return error.message
  return isFailure(error) ? error.sentence : String(error)
}
