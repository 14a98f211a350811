// 'Simular pagamento': while the sandbox is the provider, the person decides how the payment ends. The dialog then
// turns by the provider's own news, exactly as it would in earnest.
import { useState } from 'react'
import { meansOf } from '../../api/payment-methods'
import type { Payment, Provider } from '../../api/payments'
import { SandboxRefusal, settleIntent, type SettleOutcome } from '../../api/sandbox'
import { isFailure } from '../../lib/failure'
import { Button } from '../../ui/button'

const OUTCOMES: readonly [SettleOutcome, string][] = [
  ['succeeded', 'Aprovar'],
  ['expired', 'Expirar'],
  ['failed', 'Recusar'],
]

export function Simulate({ payment, provider }: { payment: Payment; provider: Provider }) {
  const [busy, setBusy] = useState<SettleOutcome | null>(null)
  const [error, setError] = useState<string | null>(null)
  const { transactionId, paymentMethod } = payment
  if (!transactionId || meansOf(paymentMethod) === 'card') return null
  const settle = (outcome: SettleOutcome) => {
    setBusy(outcome)
    setError(null)
    settleIntent(
      { apiBase: provider.apiBase ?? '/sandbox/v1', publishableKey: provider.publishableKey },
      transactionId,
      outcome,
    )
      .catch((thrown: unknown) =>
        setError(
          thrown instanceof SandboxRefusal ? thrown.message : isFailure(thrown) ? thrown.sentence : String(thrown),
        ),
      )
      .finally(() => setBusy(null))
  }
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
              onClick={() => settle(outcome)}
              disabled={busy !== null}
              busy={busy === outcome && 'Simulando...'}
            >
              {label}
            </Button>
          ))}
        </div>
      </div>
      {error && <output className="text-danger">{error}</output>}
    </section>
  )
}
