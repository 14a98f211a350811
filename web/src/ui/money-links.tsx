// The payment and the document that a line of money leads to.
import { Link } from 'react-router'
import { invoicePath, paymentPath } from '../lib/paths'
import { buttonClass } from './button'

interface MoneyLinksProps {
  /** What the line is called, for who hears the links alone. */
  about: string
  paymentId: string | null | undefined
  invoiceId: string | null | undefined
}

const look = buttonClass({ variant: 'secondary', size: 'small' })

export function MoneyLinks({ about, paymentId, invoiceId }: MoneyLinksProps) {
  return (
    <>
      {paymentId && (
        <Link to={paymentPath(paymentId)} aria-label={`Pagamento: ${about}`} className={look}>
          Pagamento
        </Link>
      )}
      {invoiceId && (
        <Link to={invoicePath(invoiceId)} aria-label={`Fatura: ${about}`} className={look}>
          Fatura
        </Link>
      )}
    </>
  )
}
