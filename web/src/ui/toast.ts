// What the app says on its own in this tab, as toasts and below the person's notifications in the bell. The list stays
// in memory (the last 50, cleared on sign-out); `toaster.tsx` shows it and is loaded with the first one.
import { randomId } from '../lib/ids'
import { Observable, useObservable } from '../lib/observable'

const DURATION_MS = 5000
const KEPT = 50

export interface Toast {
  id: string
  timestamp: number
  /** Milliseconds on the screen; Infinity for errors. */
  duration: number
  tone: 'success' | 'info' | 'warning' | 'error'
  text: string
  detail?: string | undefined
  action?: { label: string; onClick: () => void } | undefined
  /** The bell has it by itself: the toast is not listed again. */
  listed?: boolean | undefined
}

/** The same id replaces the toast and its line in the bell. */
type NotifyOptions = Partial<Pick<Toast, 'id' | 'detail' | 'action' | 'listed'>>

interface TabToasts {
  /** Newest first. */
  toasts: Toast[]
  /** Since the bell was opened: of its list, and of all toasts. */
  unread: number
  unseen: number
}

const NONE: TabToasts = { toasts: [], unread: 0, unseen: 0 }
const tabToasts = new Observable<TabToasts>(NONE)

export function notify(tone: Toast['tone'], text: string, options: NotifyOptions = {}): void {
  const { id = randomId(), detail, action, listed } = options
  const duration = tone === 'error' ? Number.POSITIVE_INFINITY : DURATION_MS
  const { toasts, unread, unseen } = tabToasts.get()
  const others = toasts.filter((known) => known.id !== id)
  const own = toasts.filter((known) => !known.listed)
  const isCounted = own.slice(0, unread).some((known) => known.id === id)
  const toast = { id, timestamp: Date.now(), duration, tone, text, detail, action, listed }
  tabToasts.set({
    toasts: [toast, ...others].slice(0, KEPT),
    unread: unread + (listed || isCounted ? 0 : 1),
    unseen: unseen + 1,
  })
}

export const notifySuccess = (text: string, options?: NotifyOptions): void => notify('success', text, options)
export const notifyInfo = (text: string, options?: NotifyOptions): void => notify('info', text, options)
export const notifyWarning = (text: string, options?: NotifyOptions): void => notify('warning', text, options)
export const notifyError = (text: string, options?: NotifyOptions): void => notify('error', text, options)

/** On sign-out. */
export function clearToasts(): void {
  if (tabToasts.get().toasts.length > 0) tabToasts.set(NONE)
}

export function markToastsRead(): void {
  tabToasts.set({ ...tabToasts.get(), unread: 0, unseen: 0 })
}

export function useToasts() {
  return useObservable(tabToasts)
}
