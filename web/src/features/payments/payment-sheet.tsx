// The payment that the address names, beside the list. A payment of another company of the person leads to that company
// first: it is never shown over the list of this one. One of this company is shown while the person may see its money.
import { useEffect } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { useQuery } from '@tanstack/react-query'
import { mayManage, maySeeMoney, type Company } from '../../api/companies'
import { paymentQuery } from '../../api/payments'
import { useCompany } from '../../auth/company'
import { paths } from '../../lib/paths'
import { ForbiddenArea } from '../../ui/data-area'
import { notifyInfo } from '../../ui/toast'
import ResultDialog from './result-dialog'

interface PaymentSheetProps {
  company: Company
  paymentId: string
}

export function PaymentSheet({ company, paymentId }: PaymentSheetProps) {
  const navigate = useNavigate()
  const { search } = useLocation()
  const { companies, select } = useCompany()
  const { data } = useQuery(paymentQuery(company.id, paymentId))
  const isForeign = data !== undefined && data.companyId !== company.id
  const owner = isForeign ? companies.find(({ id }) => id === data.companyId) : undefined
  useEffect(() => {
    if (!owner) return
    notifyInfo(`Este pagamento é da empresa ${owner.companyName}`, { id: 'payment of another company' })
    select(owner)
  }, [owner, select])
  if (isForeign) return null
  if (data && !maySeeMoney(company)) return <ForbiddenArea />
  return (
    <ResultDialog
      companyId={company.id}
      paymentId={paymentId}
      canManage={mayManage(company)}
      sheet
      // "Back" does not open again what was closed, and the list stays where it was.
      onClose={() => void navigate({ pathname: paths.payments, search }, { replace: true, preventScrollReset: true })}
    />
  )
}
