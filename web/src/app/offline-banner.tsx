// Says that the browser has no network. Data on the screen stays.
import { Alert } from '../ui/alert'
import { useOnline } from '../ui/use-online'

export function OfflineBanner() {
  const online = useOnline()
  return (
    // There before its words: a live region that comes with them may stay unheard.
    <div aria-live="polite">
      {!online && (
        <Alert tone="warning" role="none" className="rounded-none md:px-6 lg:px-8">
          Você está sem internet. Os dados podem estar desatualizados.
        </Alert>
      )}
    </div>
  )
}
