// What stands in a payment dialog until there is something to show in it.
import { BusyIcon } from '../../ui/icons'

export function LoadingPayment() {
  return (
    <output className="flex items-center justify-center gap-2 py-12 text-muted">
      <BusyIcon className="size-4.5 animate-spin" />
      Carregando pagamento...
    </output>
  )
}
