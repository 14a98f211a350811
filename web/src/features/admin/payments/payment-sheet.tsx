// One payment as support reads it: what was charged and by what, who paid for which company, its documents, the tries
// around it and its way, step by step.
import { Suspense, type ReactNode } from 'react'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { adminPaymentQuery, type AdminPaymentDetail } from '../../../api/admin-payments'
import { lazyPart } from '../../../api/lazy-part'
import { numberText } from '../../../api/invoices'
import { methodKind, methodLabel } from '../../../api/payment-methods'
import { reasonOf } from '../../../api/payment-reasons'
import { formatLine } from '../../../lib/boleto-line'
import { formatDate, formatDateTime } from '../../../lib/dates'
import { worthOf } from '../../../lib/labels'
import { formatMinor } from '../../../lib/money'
import { adminCompanyPath, adminUserPath, paths } from '../../../lib/paths'
import { formatTaxId } from '../../../lib/tax-id'
import { useIsLive } from '../../../live/status'
import { isAhead } from '../../../live/subscription-state'
import { Address } from '../../../ui/address'
import { Alert } from '../../../ui/alert'
import { DataArea } from '../../../ui/data-area'
import { PaymentStatusBadge } from '../../../ui/payment-status-badge'
import { Sheet } from '../../../ui/sheet'
import { SkeletonLines } from '../../../ui/skeleton'
import { Code, FactList, SheetSection } from '../record-sheet'
import { planText } from './payment-columns'
import { PaymentState } from './payment-state'
import { Refunds } from './refunds'
import { usePaymentsInterval } from './use-payments-interval'

const PaymentTimeline = lazyPart(() => import('./payment-timeline'))

interface AdminPaymentSheetProps {
  paymentId: string
  /** Another payment, in place of this one. */
  onOpen: (paymentId: string) => void
  onClose: () => void
}

export function AdminPaymentSheet({ paymentId, onOpen, onClose }: AdminPaymentSheetProps) {
  const query = useQuery({ ...adminPaymentQuery(paymentId), refetchInterval: usePaymentsInterval() })
  const title = query.data
    ? `${formatMinor(worthOf(query.data), query.data.currency)} de ${query.data.companyName}`
    : 'Pagamento'
  return (
    <Sheet focusTitle onClose={onClose} title={title}>
      <DataArea
        query={query}
        live={useIsLive()}
        errorTitle="Erro ao carregar pagamento"
        skeleton={<SkeletonLines count={14} />}
      >
        {(payment) => (
          <div className="grid gap-6">
            {payment.failureCode === 'under_review' && (
              <Alert tone="warning" actions={<Link to={paths.adminDashboard}>Ir para o Admin Dashboard</Link>}>
                O valor recebido é diferente do cobrado. A decisão é tomada em “Pagamentos em análise”.
              </Alert>
            )}
            <SheetSection title="Pagamento" aside={<PaymentState payment={payment} />}>
              <FactList facts={factsOf(payment)} />
            </SheetSection>
            <SheetSection title="Empresa e pagador">
              <FactList facts={payerOf(payment)} />
            </SheetSection>
            <Refunds payment={payment} />
            <Documents documents={payment.documents} />
            <Attempts attempts={payment.attempts} onOpen={onOpen} />
            <SheetSection title="Linha do tempo">
              <Suspense fallback={<SkeletonLines count={6} />}>
                <PaymentTimeline payment={payment} />
              </Suspense>
            </SheetSection>
          </div>
        )}
      </DataArea>
    </Sheet>
  )
}

type Fact = [label: string, value: ReactNode]

function factsOf(payment: AdminPaymentDetail): Fact[] {
  const { currency, received, refunded = 0, bankSlipLine, superseded, failureCode, reviewReason, metadata } = payment
  const facts: (Fact | false | undefined)[] = [
    ['Valor', formatMinor(payment.amount, currency)],
    received != null && ['Recebido', formatMinor(received, currency)],
    refunded > 0 && ['Reembolsado', formatMinor(refunded, currency)],
    ['Plano', planText(payment)],
    ['Forma de pagamento', methodLabel(payment.paymentMethod)],
    ['Início', formatDateTime(payment.createdAt)],
    ['Última mudança', formatDateTime(payment.updatedAt)],
    deadlineOf(payment),
    bankSlipLine ? ['Linha digitável', <Code key="line" text={formatLine(bankSlipLine)} />] : undefined,
    superseded && [
      'Substituído',
      'Outro pagamento tomou o lugar deste boleto, que já não paga o plano: o que for pago por ele vira crédito.',
    ],
    // The sentence of a review is for the payer: the money has come, and waits for a platform admin.
    failureCode && failureCode !== 'under_review' && ['Por que não foi pago', reasonOf(payment)],
    metadata.cancelReason ? ['Motivo do cancelamento', metadata.cancelReason] : undefined,
    reviewReason ? ['Decisão da análise', reviewReason] : undefined,
    ['ID do pagamento', <Code key="id" text={payment.id} />],
    ['ID no provedor', payment.transactionId ? <Code key="intent" text={payment.transactionId} /> : '—'],
  ]
  return facts.filter((fact) => Array.isArray(fact))
}

/** By when an open PIX or boleto is paid, in the words of the payer's page. */
function deadlineOf({ expiresAt, paymentMethod }: AdminPaymentDetail): Fact | undefined {
  if (!expiresAt) return undefined
  if (methodKind(paymentMethod) !== 'boleto') return ['Expira em', formatDateTime(expiresAt)]
  const day = formatDate(expiresAt)
  return [isAhead(expiresAt) ? 'Vence em' : 'Venceu em', `${day}\nA compensação pode levar até 3 dias úteis`]
}

function payerOf({ payer, payerId, billing, ...payment }: AdminPaymentDetail): Fact[] {
  const person: ReactNode = payer ? (
    <span key="payer" className="grid gap-0.5">
      <Link to={adminUserPath(payer.id)} className="link">
        {payer.name}
      </Link>
      <Address email={payer.email} />
    </span>
  ) : payerId ? (
    'Conta excluída'
  ) : (
    'Renovação automática'
  )
  const facts: Fact[] = [
    ['Empresa', <Company key="company" {...payment} />],
    ['Pago por', person],
  ]
  if (!billing) return [...facts, ['Dados de cobrança', 'Não informados']]
  return [
    ...facts,
    ['Dados de cobrança', 'Os atuais da empresa. Um documento já emitido mantém os de quando foi emitido.'],
    ['Nome ou razão social', billing.name],
    ['CPF ou CNPJ', billing.taxId ? formatTaxId(billing.taxId) : '—'],
    [
      'Endereço',
      <span key="address" className="whitespace-pre-line">
        {billing.address ?? '—'}
      </span>,
    ],
  ]
}

/** A company that has ended has no page. */
function Company({
  companyId,
  companyName,
  companyEndedAt,
}: Pick<AdminPaymentDetail, 'companyId' | 'companyName' | 'companyEndedAt'>) {
  if (companyEndedAt) return `${companyName} (empresa encerrada em ${formatDate(companyEndedAt)})`
  return (
    <Link to={adminCompanyPath(companyId)} className="link">
      {companyName}
    </Link>
  )
}

const kinds: Record<AdminPaymentDetail['documents'][number]['kind'], string> = {
  payment: 'Recibo de pagamento',
  change: 'Demonstrativo de cobrança',
  refund: 'Recibo de reembolso',
}

const row = 'flex items-start justify-between gap-3 py-2 first:pt-0'

function Documents({ documents }: Pick<AdminPaymentDetail, 'documents'>) {
  return (
    <SheetSection title="Documentos">
      {documents.length === 0 ? (
        <p className="text-muted">Nenhum documento emitido</p>
      ) : (
        <ul role="list" className="divide-y divide-line">
          {documents.map(({ id, kind, number, at, total }) => (
            <li key={id} className={row}>
              <span className="grid gap-0.5">
                <span>
                  {kinds[kind] ?? kind} <span className="font-mono">{numberText({ number })}</span>
                </span>
                <time dateTime={at} className="text-label text-muted tabular-nums">
                  {formatDateTime(at)}
                </time>
              </span>
              <span className="shrink-0 font-medium tabular-nums">{formatMinor(total)}</span>
            </li>
          ))}
        </ul>
      )}
    </SheetSection>
  )
}

interface AttemptsProps extends Pick<AdminPaymentDetail, 'attempts'> {
  onOpen: (paymentId: string) => void
}

function Attempts({ attempts, onOpen }: AttemptsProps) {
  if (attempts.length === 0) return null
  return (
    <SheetSection title="Outras tentativas para este plano, até 7 dias antes ou depois">
      <ul role="list" className="divide-y divide-line">
        {attempts.map((attempt) => (
          <li key={attempt.id} className={row}>
            <span className="grid min-w-0 gap-0.5">
              <button type="button" className="link text-left" onClick={() => onOpen(attempt.id)}>
                {methodLabel(attempt.paymentMethod)}, {formatMinor(worthOf(attempt), attempt.currency)}
              </button>
              <time dateTime={attempt.createdAt} className="text-label text-muted tabular-nums">
                {formatDateTime(attempt.createdAt)}
              </time>
              {attempt.failureCode && <span className="text-label text-muted">{reasonOf(attempt)}</span>}
            </span>
            <PaymentStatusBadge status={attempt.status} />
          </li>
        ))}
      </ul>
    </SheetSection>
  )
}
