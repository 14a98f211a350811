// Says that the browser has no network. Data on the screen stays.
import { Alert } from '../ui/alert'
import { useOnline } from '../ui/use-online'

export function OfflineBanner() {
  if (useOnline()) return null
  return (
    <Alert tone="warning" className="rounded-none md:px-6 lg:px-8">
      Você está sem internet. Os dados podem estar desatualizados.
    </Alert>
  )
}
