// One document: as a sheet that prints alone on A4, with the ways to take it away. A mail leads here, perhaps for
// another company than the selected one.
import { useRef } from 'react'
import { Link, useParams } from 'react-router'
import { useMutation, useQuery } from '@tanstack/react-query'
import { maySeeMoney, type Company } from '../../api/companies'
import { asApiError } from '../../api/errors'
import { invoiceFile, invoiceQuery, numberText, sendInvoice, type Invoice } from '../../api/invoices'
import { CompanyPage } from '../../auth/company-page'
import { useLinkedCompany } from '../../auth/use-linked-company'
import { randomId } from '../../lib/ids'
import { paths } from '../../lib/paths'
import { Button, buttonClass } from '../../ui/button'
import { DataArea, EmptyArea, LoadingArea } from '../../ui/data-area'
import { useRetrySeconds } from '../../ui/failure-alert'
import { BackIcon, DownloadIcon, InvoiceIcon, MailIcon, PrintIcon } from '../../ui/icons'
import { saveFile } from '../../ui/save-file'
import { SkeletonLines } from '../../ui/skeleton'
import { notifyError, notifySuccess } from '../../ui/toast'
import { useAnnounceFailure } from '../../ui/use-announce-failure'
import { InvoiceSheet } from './invoice-sheet'

const MISSING = 'Fatura não encontrada'
const skeleton = <SkeletonLines count={12} />

export function InvoicePage() {
  const { selecting } = useLinkedCompany()
  const { invoiceId = '' } = useParams()
  return (
    <CompanyPage title="Fatura" skeleton={skeleton} mayRead={(company) => selecting || maySeeMoney(company)}>
      {(company) =>
        selecting ? (
          <LoadingArea>{skeleton}</LoadingArea>
        ) : (
          <CompanyInvoice key={invoiceId} company={company} invoiceId={invoiceId} />
        )
      }
    </CompanyPage>
  )
}

function CompanyInvoice({ company, invoiceId }: { company: Company; invoiceId: string }) {
  const query = useQuery(invoiceQuery(company.id, invoiceId))
  const isMissing = query.error !== null && asApiError(query.error).code === 'NOT_FOUND'
  useAnnounceFailure(MISSING, isMissing, query.data !== undefined)
  const back = (
    <Link to={paths.invoices} className={buttonClass({ variant: 'ghost' }, 'no-print -ml-4 justify-self-start')}>
      <BackIcon />
      Todas as faturas
    </Link>
  )
  if (isMissing) {
    return (
      <>
        {back}
        <EmptyArea
          icon={InvoiceIcon}
          title={MISSING}
          text={`${company.companyName} não tem esta fatura. Ela pode ser de outra empresa sua.`}
        />
      </>
    )
  }
  return (
    <>
      {back}
      <DataArea query={query} live errorTitle="Erro ao carregar fatura" skeleton={skeleton}>
        {(invoice) => (
          <div className="mx-auto grid w-full max-w-[820px] grid-cols-[minmax(0,1fr)] gap-4">
            <Actions invoice={invoice} />
            <InvoiceSheet invoice={invoice} />
          </div>
        )}
      </DataArea>
    </>
  )
}

function Actions({ invoice }: { invoice: Invoice }) {
  return (
    <div className="no-print flex flex-wrap justify-end gap-2">
      <SendButton invoice={invoice} />
      <FileButton invoice={invoice} />
      <Button onClick={() => window.print()} className="max-sm:grow">
        <PrintIcon />
        Imprimir
      </Button>
    </div>
  )
}

function FileButton({ invoice }: { invoice: Invoice }) {
  const save = useMutation({
    mutationFn: () => invoiceFile(invoice.companyId, invoice.id),
    onSuccess: (file) => saveFile(`fatura-${numberText(invoice)}.pdf`, file),
    onError: (error) => notifyError('Erro ao baixar PDF', { detail: asApiError(error).sentence }),
  })
  return (
    <Button
      variant="secondary"
      onClick={() => save.mutate()}
      busy={save.isPending && 'Baixando...'}
      className="max-sm:grow"
    >
      <DownloadIcon />
      Baixar PDF
    </Button>
  )
}

function SendButton({ invoice }: { invoice: Invoice }) {
  // A lost answer is asked for again with the same key, so that one click is one mail.
  const key = useRef(randomId())
  const send = useMutation({
    mutationFn: () => sendInvoice(invoice.companyId, invoice.id, key.current),
    onSuccess: (sentTo) => {
      key.current = randomId()
      notifySuccess('Fatura enviada por email', { detail: `Fatura ${numberText(invoice)} para ${sentTo.join(', ')}` })
    },
    onError: (error) => notifyError('Erro ao enviar fatura', { detail: asApiError(error).sentence }),
  })
  const wait = useRetrySeconds(send.error && asApiError(send.error))
  return (
    <Button
      variant="secondary"
      onClick={() => send.mutate()}
      disabled={wait > 0}
      busy={send.isPending && 'Enviando...'}
      className="max-sm:grow"
    >
      <MailIcon />
      Enviar por email
    </Button>
  )
}
