// The decision on a payment under review: what it does with the money, and why, which is kept with the payment.
import { useState } from 'react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { adminKeys } from '../../../api/admin'
import { resolvePayment, type AdminPayment, type Resolution } from '../../../api/admin-payments'
import { MutationDialog } from '../../../api/mutation-dialog'
import { formatMinor } from '../../../lib/money'
import { plainText } from '../../../lib/plain-text'
import { notifySuccess } from '../../../ui/toast'
import { useFocusFirstError } from '../../../ui/use-focus-first-error'
import { ReasonField } from '../reason-field'

export interface ReviewDecision {
  payment: AdminPayment
  outcome: Resolution['outcome']
}

const CHANGED = [adminKeys.reviews, adminKeys.payments, adminKeys.companies, adminKeys.audit]

const words = {
  accept: {
    title: 'Aceitar este pagamento?',
    act: 'Aceitar pagamento',
    busy: 'Aceitando...',
    done: 'Pagamento aceito',
  },
  refuse: {
    title: 'Recusar este pagamento?',
    act: 'Recusar pagamento',
    busy: 'Recusando...',
    done: 'Pagamento recusado',
  },
} as const

export function ReviewDialog({
  decision: { payment, outcome },
  onClose,
}: {
  decision: ReviewDecision
  onClose: () => void
}) {
  const queries = useQueryClient()
  const [reason, setReason] = useState('')
  const [tried, setTried] = useState<object>()
  const fields = useFocusFirstError<HTMLDivElement>(tried)
  const text = words[outcome]
  const settle = useMutation({
    mutationFn: () => resolvePayment(payment.id, { outcome, reason: plainText(reason) }),
    onSuccess: () => {
      notifySuccess(text.done)
      onClose()
    },
    onSettled: () => {
      // Also after a refusal: somebody else may have decided.
      for (const queryKey of CHANGED) void queries.invalidateQueries({ queryKey })
    },
  })
  const missing = plainText(reason) === ''
  const act = () => {
    setTried({})
    if (!missing) settle.mutate()
  }
  return (
    <MutationDialog
      mutation={{ ...settle, mutate: act }}
      onClose={onClose}
      title={text.title}
      description={consequenceOf(payment, outcome)}
      safeLabel="Voltar"
      actLabel={text.act}
      actVariant={outcome === 'refuse' ? 'danger' : 'primary'}
      busyLabel={text.busy}
      failureTitle="Erro ao resolver pagamento"
    >
      <div ref={fields}>
        <ReasonField reason={reason} onChange={setReason} isMissing={tried !== undefined && missing} />
      </div>
    </MutationDialog>
  )
}

/** What the decision does with the difference. */
function consequenceOf(
  { companyName, amount, received, superseded, currency }: AdminPayment,
  outcome: Resolution['outcome'],
): string {
  if (outcome === 'refuse')
    return `Nada é liberado para ${companyName}, que poderá pagar de novo. Devolva o valor recebido no provedor de pagamento.`
  const arrived = received ?? amount
  if (superseded)
    return `${formatMinor(arrived, currency)} viram crédito de ${companyName}: outro pagamento tomou o lugar deste boleto.`
  const difference = arrived - amount
  const rest =
    difference > 0
      ? `, e ${formatMinor(difference, currency)} viram crédito`
      : difference < 0
        ? `, e a diferença de ${formatMinor(-difference, currency)} é perdoada`
        : ''
  return `O plano de ${companyName} é liberado com o valor recebido${rest}.`
}
