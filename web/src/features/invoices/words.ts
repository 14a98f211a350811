// What a document says in words: on the page, on paper and in lists.
import type { Invoice, InvoiceKind } from '../../api/invoices'
import type { Tone } from '../../lib/labels'

/** Also on paper and in the mails: `core/src/invoice/sheet_pt_br.rs`. */
export const NOT_FISCAL = 'Este documento é um recibo e demonstrativo de cobrança. Ele não substitui a nota fiscal.'

export const invoiceKinds: Record<InvoiceKind, { label: string; title: string; tone: Tone }> = {
  payment: { label: 'Pagamento', title: 'Recibo de pagamento', tone: 'success' },
  change: { label: 'Sem cobrança', title: 'Demonstrativo de cobrança', tone: 'neutral' },
  refund: { label: 'Reembolso', title: 'Recibo de reembolso', tone: 'info' },
}

export function titleOf({ kind }: Pick<Invoice, 'kind'>): string {
  return invoiceKinds[kind]?.title ?? 'Documento'
}

type Noted = Pick<Invoice, 'kind' | 'becameCredit' | 'total' | 'lines'>

/** What became of money that bought nothing, or of money that went back; and why nothing was charged. */
export function noteOf({ kind, becameCredit, total, lines }: Noted): string | null {
  if (kind === 'refund') {
    return total < 0
      ? 'O provedor de pagamento desfez uma devolução.'
      : 'O valor foi devolvido pela mesma forma de pagamento.'
  }
  if (kind === 'change') return nothingCharged(lines)
  return becameCredit ? 'Este pagamento virou crédito da empresa e será abatido das próximas cobranças.' : null
}

/** What is too small to be charged is owed still, also where credit paid the rest. */
function nothingCharged(lines: Invoice['lines']): string {
  const has = (wanted: Invoice['lines'][number]['kind']) => lines.some(({ kind }) => kind === wanted)
  if (has('carried')) return 'Nada foi cobrado agora: o que falta entra na próxima cobrança.'
  return has('creditUsed') ? 'Pago com o crédito da empresa: nada foi cobrado.' : 'Nada foi cobrado nesta mudança.'
}
