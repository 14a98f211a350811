// Mounts the live connection for the signed-in user and the selected company, and says what it has to say: toasts,
// the lost company, the end of the session.
import { useQueryClient } from '@tanstack/react-query'
import { companiesQuery, companyKeys } from '../api/companies'
import { useCompany } from '../auth/company'
import { session } from '../auth/use-session'
import type { Notice } from '../live/notices'
import { LiveConnection } from '../live/socket'
import { notifyError, notifyInfo, notifySuccess, notifyWarning } from '../ui/toast'

export function LiveUpdates() {
  const { company } = useCompany()
  const queries = useQueryClient()
  const onAccessLost = (companyId: string) => {
    const lost = queries.getQueryData(companiesQuery().queryKey)?.find(({ id }) => id === companyId)
    if (lost) notifyWarning(`Você não tem mais acesso à empresa ${lost.companyName}`, { id: `lost ${companyId}` })
    void queries.invalidateQueries({ queryKey: companyKeys.list })
  }
  return <LiveConnection companyId={company?.id} onRevoked={() => session.expire()} onAccessLost={onAccessLost} onNotice={notify} />
}

const tones: Record<Notice['tone'], typeof notifyInfo> = { success: notifySuccess, error: notifyError, info: notifyInfo }

function notify({ id, tone, text }: Notice): void {
  tones[tone](text, { id })
  if (document.visibilityState === 'hidden') showInTitle(text)
}

/** A tab in the background carries the news in its title until somebody looks. */
function showInTitle(text: string): void {
  const { title } = document
  const told = `(1) ${text}`
  document.title = told
  const restore = () => {
    if (document.visibilityState === 'hidden') return
    document.removeEventListener('visibilitychange', restore)
    if (document.title === told) document.title = title
  }
  document.addEventListener('visibilitychange', restore)
}
