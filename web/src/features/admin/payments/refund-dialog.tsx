// The question before money is given back: how much of it and why. What a refund does not change is said before it.
import { useRef, useState } from 'react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { adminKeys } from '../../../api/admin'
import { refundPayment, type AdminPaymentDetail } from '../../../api/admin-payments'
import { asApiError } from '../../../api/errors'
import { MutationDialog } from '../../../api/mutation-dialog'
import { isVerdict } from '../../../api/retries'
import { attemptFor, type Attempt } from '../../../lib/attempt'
import { randomId } from '../../../lib/ids'
import { formatMinor, toMinor, toReais } from '../../../lib/money'
import { plainText } from '../../../lib/plain-text'
import { Field } from '../../../ui/field'
import { NumberInput } from '../../../ui/number-input'
import { notifyInfo, notifySuccess } from '../../../ui/toast'
import { useFocusFirstError } from '../../../ui/use-focus-first-error'
import { ReasonField } from '../reason-field'

const CHANGED = [adminKeys.payments, adminKeys.companies, adminKeys.audit]

type Refundable = Pick<AdminPaymentDetail, 'id' | 'companyName' | 'currency' | 'refundable'>

export function RefundDialog({ payment, onClose }: { payment: Refundable; onClose: () => void }) {
  const { id, companyName, currency, refundable } = payment
  const queries = useQueryClient()
  const [reais, setReais] = useState<number | null>(toReais(refundable))
  const [reason, setReason] = useState('')
  const [tried, setTried] = useState<object>()
  const fields = useFocusFirstError<HTMLDivElement>(tried)
  const attempt = useRef<Attempt | null>(null)
  const amount = reais === null ? 0 : toMinor(reais)
  const refund = useMutation({
    mutationFn: () => {
      const body = { amount, reason: plainText(reason) }
      attempt.current = attemptFor(attempt.current, body, randomId)
      return refundPayment(id, body, attempt.current.key)
    },
    onSuccess: ({ state }) => {
      if (state === 'pending') notifyInfo('O provedor ainda não confirmou. O reembolso continua sozinho.')
      else notifySuccess(`Reembolso de ${formatMinor(amount, currency)} aceito`)
      onClose()
    },
    onError: (error) => {
      // Refused for certain: the next try is another one. After anything else the refund may have begun.
      if (isVerdict(asApiError(error))) attempt.current = null
    },
    onSettled: () => {
      for (const queryKey of CHANGED) void queries.invalidateQueries({ queryKey })
    },
  })
  const amountProblem = problemOf(amount, refundable, currency)
  const missing = plainText(reason) === ''
  const act = () => {
    setTried({})
    if (!missing && !amountProblem) refund.mutate()
  }
  return (
    <MutationDialog
      mutation={{ ...refund, mutate: act }}
      onClose={onClose}
      title={`Reembolsar ${companyName}?`}
      description="O valor volta para quem pagou, pela mesma forma de pagamento, e não pode ser desfeito. O plano e o crédito da empresa continuam como estão: para encerrar o plano, a empresa cancela a assinatura."
      safeLabel="Voltar"
      actLabel={amountProblem ? 'Reembolsar' : `Reembolsar ${formatMinor(amount, currency)}`}
      busyLabel="Reembolsando..."
      failureTitle="Erro ao reembolsar"
    >
      <div ref={fields} className="grid gap-4">
        <Field
          label="Valor"
          required
          hint={`Até ${formatMinor(refundable, currency)}`}
          error={tried ? amountProblem : undefined}
        >
          <NumberInput kind="reais" value={reais} onChange={setReais} />
        </Field>
        <ReasonField reason={reason} onChange={setReason} isMissing={tried !== undefined && missing} />
      </div>
    </MutationDialog>
  )
}

/** Why this amount cannot be given back; undefined when it can. */
export function problemOf(amount: number, refundable: number, currency: string): string | undefined {
  if (amount <= 0) return 'Informe o valor a reembolsar'
  return amount > refundable ? `O máximo é ${formatMinor(refundable, currency)}` : undefined
}
