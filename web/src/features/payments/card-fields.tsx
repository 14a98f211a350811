// The card entry of whichever provider is in charge, loaded when it is first shown.
import { lazy, Suspense } from 'react'
import type { CardFieldsProps } from './card-gateway'

const SandboxCard = lazy(() => import('./sandbox-card'))
const StripeCard = lazy(() => import('./stripe-card'))

export function CardFields(props: CardFieldsProps) {
  const Fields = props.provider.sandbox ? SandboxCard : StripeCard
  return (
    <Suspense fallback={<p className="text-muted">Carregando pagamento...</p>}>
      <Fields {...props} />
    </Suspense>
  )
}
