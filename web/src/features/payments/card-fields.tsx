// The card entry of whichever provider is in charge, loaded when it is first shown. When its code, or the provider's
// own, cannot be loaded, it says so here and can be tried again; the other methods stay usable.
import { Component, Suspense, useState, type ReactNode } from 'react'
import { ApiError } from '../../api/errors'
import { lazyPart } from '../../api/lazy-part'
import { announce } from '../../ui/announcer'
import { cx } from '../../ui/cx'
import { FailedArea } from '../../ui/data-area'
import { EMPTY_ENTRY, type CardFieldsProps } from './card-gateway'

const FAILED = 'Sistema de pagamento indisponível'

/** A failed load is kept by the component that failed, so another try needs another one. */
function load(sandbox: boolean) {
  return lazyPart<CardFieldsProps>(() => (sandbox ? import('./sandbox-card-form') : import('./stripe-card-form')))
}

export function CardFields(props: CardFieldsProps) {
  const { sandbox } = props.provider
  const [entry, setEntry] = useState(() => ({ Fields: load(sandbox), attempt: 0 }))
  const again = () => setEntry(({ attempt }) => ({ Fields: load(sandbox), attempt: attempt + 1 }))
  const { Fields, attempt } = entry
  return (
    <LoadGuard key={attempt} onRetry={again} onFailed={() => props.onChange(EMPTY_ENTRY)}>
      <Suspense fallback={props.collapsed ? null : <Loading sandbox={sandbox} />}>
        <Fields {...props} />
      </Suspense>
    </LoadGuard>
  )
}

/** As high as what is loading: the dialog stays where it is. */
function Loading({ sandbox }: { sandbox: boolean }) {
  return (
    <p className={cx('text-muted', sandbox ? 'min-h-35 pointer-coarse:min-h-37' : 'min-h-11')}>
      Carregando pagamento...
    </p>
  )
}

interface GuardProps {
  onRetry: () => void
  onFailed: () => void
  children: ReactNode
}

class LoadGuard extends Component<GuardProps, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true }
  }

  override componentDidCatch(error: unknown): void {
    console.warn('card provider not loaded', error)
    announce(FAILED)
    this.props.onFailed()
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children
    return (
      <FailedArea title={FAILED} error={new ApiError('NETWORK_ERROR')} onRetry={this.props.onRetry} className="py-4" />
    )
  }
}
