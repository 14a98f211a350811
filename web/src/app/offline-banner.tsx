// Says that the browser has no network. Data on the screen stays.
import { useSyncExternalStore } from 'react'
import { Alert } from '../ui/alert'

function subscribe(listener: () => void): () => void {
  window.addEventListener('online', listener)
  window.addEventListener('offline', listener)
  return () => {
    window.removeEventListener('online', listener)
    window.removeEventListener('offline', listener)
  }
}

export function OfflineBanner() {
  const online = useSyncExternalStore(subscribe, () => navigator.onLine)
  if (online) return null
  return (
    <Alert tone="warning" className="rounded-none md:px-6 lg:px-8">
      Você está sem internet. Os dados podem estar desatualizados.
    </Alert>
  )
}
