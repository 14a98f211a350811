// Toasts and the bell list behind them. 5000 ms, paused by hover, focus and a hidden tab; errors stay until
// closed; at most three at once; the same id replaces. The last 50 stay in memory until sign-out.
import { useSyncExternalStore } from 'react'
import { Toaster as Sonner, toast } from 'sonner'
import { randomId } from '../lib/ids'
import { useAppliedTheme } from './theme'

const DURATION_MS = 5000
const KEPT = 50

export interface Notification {
  id: string
  timestamp: number
  duration: number
  tone: 'success' | 'info' | 'warning' | 'error'
  text: string
  detail?: string | undefined
}

export interface NotifyOptions {
  /** The same id replaces the toast and its line in the bell. */
  id?: string
  detail?: string
  action?: { label: string; onClick: () => void }
}

let notifications: Notification[] = []
let unread = 0
const listeners = new Set<() => void>()

function publish(): void {
  for (const listener of listeners) listener()
}

function notify(tone: Notification['tone'], text: string, options: NotifyOptions = {}): void {
  const { id = randomId(), detail, action } = options
  const duration = tone === 'error' ? Number.POSITIVE_INFINITY : DURATION_MS
  notifications = [{ id, timestamp: Date.now(), duration, tone, text, detail }, ...notifications.filter((kept) => kept.id !== id)].slice(0, KEPT)
  unread += 1
  publish()
  toast[tone](text, { id, duration, description: detail, action })
}

export const notifySuccess = (text: string, options?: NotifyOptions): void => notify('success', text, options)
export const notifyInfo = (text: string, options?: NotifyOptions): void => notify('info', text, options)
export const notifyWarning = (text: string, options?: NotifyOptions): void => notify('warning', text, options)
export const notifyError = (text: string, options?: NotifyOptions): void => notify('error', text, options)

/** On sign-out. */
export function clearNotifications(): void {
  notifications = []
  unread = 0
  toast.dismiss()
  publish()
}

export function markNotificationsRead(): void {
  unread = 0
  publish()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useNotifications(): Notification[] {
  return useSyncExternalStore(subscribe, () => notifications)
}

export function useUnreadCount(): number {
  return useSyncExternalStore(subscribe, () => unread)
}

export function Toaster() {
  const theme = useAppliedTheme()
  return (
    <Sonner
      theme={theme}
      position="bottom-right"
      visibleToasts={3}
      closeButton
      containerAriaLabel="Notificações"
      toastOptions={{
        closeButtonAriaLabel: 'Fechar notificação',
        classNames: {
          toast: '!rounded-card !border !border-line !bg-surface !font-sans !text-body !text-text !shadow-menu',
          title: '!font-medium',
          description: '!text-muted',
          actionButton: '!rounded-control !bg-primary !text-on-primary',
          closeButton: '!border-line !bg-surface !text-text',
          success: '[&_[data-icon]]:text-success',
          error: '[&_[data-icon]]:text-danger',
          warning: '[&_[data-icon]]:text-warning',
          info: '[&_[data-icon]]:text-info',
        },
      }}
    />
  )
}
