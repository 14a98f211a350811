// 'Preview da Mudança': the quote as a receipt. What it shows is what confirming costs; a price that changes under it
// is said and quoted anew, and so is a subscription that somebody else changes.
import { useEffect, useRef, useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { savedCardsQuery } from '../../api/payments'
import type { Plan } from '../../api/plans'
import type { PlanChoice, Preview } from '../../api/subscriptions'
import { formatDate } from '../../lib/dates'
import { billingCycleLabels } from '../../lib/labels'
import { formatReais } from '../../lib/money'
import { cyclePrice } from '../../lib/plans'
import { limitsAfter } from '../../live/subscription-state'
import { Alert } from '../../ui/alert'
import { announce } from '../../ui/announcer'
import { Button } from '../../ui/button'
import { cx } from '../../ui/cx'
import { Dialog } from '../../ui/dialog'
import { PriceLines } from '../../ui/price-lines'
import { changeLabels, warningText } from './labels'
import { QUOTE_MS, type PlanChange } from './use-plan-change'

interface PreviewDialogProps {
  companyId: string
  change: PlanChange
  preview: Preview
}

export function PreviewDialog({ companyId, change, preview }: PreviewDialogProps) {
  const { plan, lost, chosen, busy, choosing, isFollowed, requote, confirm, close } = change
  const { billing, changeType } = preview
  const repriced = useRepriced(plan, chosen, requote)
  const cycle = chosen ? billingCycleLabels[chosen.billingCycle] : ''
  const immediate = isImmediate(preview)
  // Nothing is charged by itself without a default card, or once that was declined for good.
  const cards = useQuery(savedCardsQuery(companyId)).data
  const isCharged = cards?.some((card) => card.isDefault && !card.isDeclined) !== false
  return (
    <Dialog
      onClose={close}
      busy={busy}
      title="Preview da Mudança"
      description={preview.description}
      footer={
        <>
          <Button variant="secondary" onClick={close} disabled={busy}>
            Cancelar
          </Button>
          <Button onClick={confirm} busy={(busy && 'Processando...') || (choosing !== null && 'Calculando...')}>
            Confirmar Mudança
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        {repriced && <Notice text="O preço deste plano foi atualizado" />}
        {isFollowed && (
          <Notice text="A assinatura mudou enquanto esta janela estava aberta. Confira a mudança antes de confirmar." />
        )}
        <p className="caption-mono">{changeLabels[changeType]}</p>
        <dl className="grid gap-2">
          {preview.currentPlan && (
            <Row label={preview.currentPlan.name} hint="Plano atual" value={formatReais(preview.currentPlan.price)} />
          )}
          <Row
            label={preview.newPlan.name}
            hint={`Novo plano · ${cycle}`}
            value={formatReais(preview.newPlan.price)}
            strong
          />
        </dl>
        <dl className="grid gap-2">
          <Row label="Data de vigência" value={formatDate(billing.effectiveDate)} />
          {billing.nextBillingDate && (
            <Row
              label={isCharged ? 'Próxima cobrança' : 'Novo vencimento'}
              value={formatDate(billing.nextBillingDate)}
            />
          )}
        </dl>
        <div className="text-muted">
          <p>{immediate ? 'Aplicada imediatamente' : 'Aplicada ao fim do período atual'}</p>
          {preview.savings.annually > 0 && <p>Economia anual de {formatReais(preview.savings.annually)}</p>}
          {!immediate && plan && changeType === 'downgrade' && <p>{limitsAfter(plan.limits)}</p>}
          {!immediate && lost.length > 0 && <p>Deixa de incluir: {lost.join('; ')}.</p>}
        </div>
        {preview.warnings.length > 0 && (
          <Alert tone="warning">
            <ul role="list" className="grid gap-1">
              {preview.warnings.map((code) => (
                <li key={code}>{warningText(code)}</li>
              ))}
            </ul>
          </Alert>
        )}
        <PriceLines lines={billing.lines ?? []} totalLabel="Total hoje" total={formatReais(billing.amountDue)} />
      </div>
    </Dialog>
  )
}

/** What comes while the dialog is read: a live region that comes with its words may stay unheard. */
function Notice({ text }: { text: string }) {
  useEffect(() => announce(text), [text])
  return (
    <Alert tone="info" role="none">
      {text}
    </Alert>
  )
}

/** Whether the change takes effect now: its date is that of the quote, or past, as for a renewal that is due. */
function isImmediate({ billing, expiresAt }: Preview): boolean {
  return Date.parse(billing.effectiveDate) <= Date.parse(expiresAt) - QUOTE_MS
}

function Row({ label, hint, value, strong }: { label: string; hint?: string; value: string; strong?: boolean }) {
  return (
    <div className="flex items-baseline justify-between gap-4 enlarged:flex-wrap enlarged:gap-y-0">
      <dt className={cx('wrap-anywhere', strong ? 'font-semibold' : 'text-muted')}>
        {label}
        {hint && <span className="block text-caption font-normal text-muted">{hint}</span>}
      </dt>
      <dd className={strong ? 'font-semibold tabular-nums' : 'tabular-nums'}>{value}</dd>
    </div>
  )
}

/** The catalogue changed under the open dialog: take a new quote, and say so. */
function useRepriced(
  plan: Plan | undefined,
  chosen: PlanChoice | null,
  requote: (choice: PlanChoice) => Promise<void>,
): boolean {
  const price = plan && chosen ? cyclePrice(plan, chosen.billingCycle) : undefined
  const quoted = useRef(price)
  const [repriced, setRepriced] = useState(false)
  useEffect(() => {
    if (price === undefined || quoted.current === undefined || price === quoted.current || !chosen) return
    quoted.current = price
    setRepriced(true)
    void requote(chosen)
  }, [price, chosen, requote])
  return repriced
}
