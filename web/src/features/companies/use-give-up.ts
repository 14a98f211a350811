// Giving a company up for good, by leaving or by deleting it.
import { useNavigate } from 'react-router'
import { isCompanyPage, paths } from '../../lib/paths'
import { useCompany } from '../../auth/company'
import { notifySuccess } from '../../ui/toast'

export function useGiveUp(companyId: string, call: () => Promise<void>, successText: string): () => Promise<void> {
  const navigate = useNavigate()
  const { giveUp } = useCompany()
  return async () => {
    await giveUp(companyId, call)
    notifySuccess(successText)
    // Whoever has gone to a page of no company stays there. The dialog itself may be gone: it goes with the company.
    if (isCompanyPage(location.pathname)) await navigate(paths.dashboard)
  }
}
