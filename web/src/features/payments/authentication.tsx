// What a payment still asks of its payer, and of nobody else: to wait for the provider, or to answer the card's bank,
// also after a reload and on another device.
import { useState } from 'react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { asApiError, ProviderRefusal } from '../../api/errors'
import { writeNewer } from '../../api/newest'
import { methodKind } from '../../api/payment-methods'
import { reasonOf } from '../../api/payment-reasons'
import { authenticatePayment, paymentKeys, readAtProvider, type Payment, type Provider } from '../../api/payments'
import { useUser } from '../../auth/use-session'
import type { CardRefusal } from '../../live/payment-dialog'
import { Alert } from '../../ui/alert'
import { Button } from '../../ui/button'
import { FailureAlert, useRetrySeconds } from '../../ui/failure-alert'
import { CardFields } from './card-fields'
import { EMPTY_ENTRY, type CardGateway } from './card-gateway'

/** A card that waits for its payer. */
export function awaitsBank({ paymentMethod, status }: Pick<Payment, 'paymentMethod' | 'status'>): boolean {
  return methodKind(paymentMethod) === 'card' && status === 'PENDING'
}

/** Until the provider has answered, there is nothing yet that the payer could have confirmed or paid. */
export function ProcessingNote({ payment }: { payment: Payment }) {
  const user = useUser()
  const awaitsPayer = payment.transactionId === undefined && payment.payerId === user.id
  return (
    <p className="text-muted">
      {payment.failureCode === 'under_review'
        ? reasonOf(payment)
        : awaitsPayer
          ? 'O sistema de pagamento ainda não respondeu. Deixe esta janela aberta: você ainda precisa concluir o pagamento.'
          : 'Você pode fechar esta janela; avisaremos quando for confirmado.'}
    </p>
  )
}

interface AuthenticationProps {
  payment: Payment
  provider: Provider
  onRefused: (refusal: CardRefusal) => void
}

export function Authentication({ payment, provider, onRefused }: AuthenticationProps) {
  const user = useUser()
  // An older server does not say who the payer is, and refuses anybody else.
  const isPayer = payment.payerId === undefined || payment.payerId === user.id
  return (
    <Alert tone="warning" title="O banco pede a sua confirmação">
      {isPayer ? (
        <Resume payment={payment} provider={provider} onRefused={onRefused} />
      ) : (
        'Só quem começou este pagamento pode autenticá-lo no banco.'
      )}
    </Alert>
  )
}

function Resume({ payment, provider, onRefused }: AuthenticationProps) {
  const queries = useQueryClient()
  const [entry, setEntry] = useState(EMPTY_ENTRY)
  const resume = useMutation({
    mutationFn: async (gateway: CardGateway) => {
      const { payment: now, client_secret: secret } = await authenticatePayment(payment.id)
      writeNewer(queries, paymentKeys.one(payment.companyId, payment.id), now)
      if (secret) await gateway.resumeCardPayment(secret).finally(() => readAtProvider(queries, payment))
    },
    onError: (error) => {
      if (error instanceof ProviderRefusal) onRefused({ code: error.code, message: error.message })
    },
  })
  const failure = resume.error && !(resume.error instanceof ProviderRefusal) ? asApiError(resume.error) : null
  const wait = useRetrySeconds(failure)
  const { gateway } = entry
  return (
    <div className="grid justify-items-start gap-3">
      <p>Continue daqui, neste ou em outro aparelho. Nada é cobrado antes disso.</p>
      <Button
        onClick={() => gateway && resume.mutate(gateway)}
        disabled={!gateway || wait > 0}
        busy={resume.isPending && 'Aguardando autenticação do banco...'}
        className="max-sm:w-full"
      >
        Continuar autenticação
      </Button>
      <FailureAlert failure={failure} />
      <CardFields provider={provider} collapsed disabled={false} onChange={setEntry} />
    </div>
  )
}
