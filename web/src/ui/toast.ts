// Notifications: what the app says on its own, as toasts and in the bell list. The list stays in memory (the
// last 50, cleared on sign-out); `toaster.tsx` shows it and is loaded with the first notification.
import { useSyncExternalStore } from 'react'
import { randomId } from '../lib/ids'

const DURATION_MS = 5000
const KEPT = 50

export interface Notification {
  id: string
  timestamp: number
  /** Milliseconds on the screen; Infinity for errors. */
  duration: number
  tone: 'success' | 'info' | 'warning' | 'error'
  text: string
  detail?: string | undefined
  action?: { label: string; onClick: () => void } | undefined
}

export interface NotifyOptions {
  /** The same id replaces the toast and its line in the bell. */
  id?: string
  detail?: string
  action?: { label: string; onClick: () => void }
}

/** Newest first. */
let notifications: Notification[] = []
let unread = 0
const listeners = new Set<() => void>()

function publish(): void {
  for (const listener of listeners) listener()
}

function notify(tone: Notification['tone'], text: string, options: NotifyOptions = {}): void {
  const { id = randomId(), detail, action } = options
  const duration = tone === 'error' ? Number.POSITIVE_INFINITY : DURATION_MS
  const others = notifications.filter((kept) => kept.id !== id)
  notifications = [{ id, timestamp: Date.now(), duration, tone, text, detail, action }, ...others].slice(0, KEPT)
  unread += 1
  publish()
}

export const notifySuccess = (text: string, options?: NotifyOptions): void => notify('success', text, options)
export const notifyInfo = (text: string, options?: NotifyOptions): void => notify('info', text, options)
export const notifyWarning = (text: string, options?: NotifyOptions): void => notify('warning', text, options)
export const notifyError = (text: string, options?: NotifyOptions): void => notify('error', text, options)

/** On sign-out. */
export function clearNotifications(): void {
  if (notifications.length === 0) return
  notifications = []
  unread = 0
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
