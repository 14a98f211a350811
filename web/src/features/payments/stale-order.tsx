// An open checkout whose subscription a colleague, or time, has changed: what it would buy is another thing by now.
import { useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { subscriptionQuery } from '../../api/subscriptions'
import { paths } from '../../lib/paths'
import { closePaymentDialog } from '../../live/payment-dialog'
import { basisOf } from '../../live/subscription-state'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'

/** Whether the company's subscription is another one than when the checkout was opened. */
export function useIsStale(companyId: string): boolean {
  const { data, isFetching } = useQuery(subscriptionQuery(companyId))
  const now = data === undefined ? undefined : basisOf(data)
  const [opened, setOpened] = useState<string>()
  // What this page knew before may be older than the quote.
  if (opened === undefined && now !== undefined && !isFetching) setOpened(now)
  return opened !== undefined && now !== opened
}

export function StaleOrder() {
  const navigate = useNavigate()
  const choose = () => {
    closePaymentDialog()
    void navigate(paths.plans)
  }
  return (
    <Dialog
      focusTitle
      onClose={closePaymentDialog}
      title="A assinatura mudou"
      footer={
        <>
          <Button variant="secondary" onClick={closePaymentDialog}>
            Fechar
          </Button>
          <Button onClick={choose}>Ver Planos</Button>
        </>
      }
    >
      <p className="text-pretty">
        Ela mudou enquanto esta janela estava aberta. Confira o plano e escolha de novo, se ainda for preciso.
      </p>
    </Dialog>
  )
}
