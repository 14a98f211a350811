// Shows the notifications as toasts: 5000 ms, paused by hover, focus and a hidden tab; errors stay until they
// are closed; at most three at once. An object already shown is not shown again, a replaced one updates its toast.
import { useEffect, useRef } from 'react'
import { Toaster as Sonner, toast } from 'sonner'
import { useAppliedTheme } from './theme'
import { useNotifications, type Notification } from './toast'
import { PHONE, useMedia } from './use-media'

export default function Toaster() {
  const theme = useAppliedTheme()
  const phone = useMedia(PHONE)
  const { notifications, unseen } = useNotifications()
  const allSeen = unseen === 0
  const shown = useRef(new WeakSet<Notification>())

  useEffect(() => {
    if (notifications.length === 0) toast.dismiss()
    for (const notification of notifications.toReversed()) {
      if (shown.current.has(notification)) continue
      shown.current.add(notification)
      const { id, tone, text, duration, detail, action } = notification
      toast[tone](text, { id, duration, description: detail, action })
    }
  }, [notifications])

  // The open bell lies where the toasts are, and lists them.
  useEffect(() => {
    if (phone && allSeen) toast.dismiss()
  }, [phone, allSeen])

  return (
    <Sonner
      theme={theme}
      // At the bottom of a phone are the buttons of its dialogs; at the top, the header.
      position={phone ? 'top-center' : 'bottom-right'}
      mobileOffset={{ top: 64 }}
      visibleToasts={3}
      closeButton
      containerAriaLabel="Notificações"
      toastOptions={{
        closeButtonAriaLabel: 'Fechar notificação',
        classNames: {
          toast: '!rounded-card !border !border-line !bg-surface !font-sans !text-body !text-text !shadow-menu !pr-12',
          title: '!font-medium',
          description: '!text-muted',
          actionButton: '!rounded-control !bg-primary !text-on-primary',
          closeButton:
            '!top-1/2 !right-2.5 !left-auto !size-8 ![transform:none] !-translate-y-1/2 !rounded-control !border-0 !bg-transparent !text-muted hover:!bg-sunken hover:!text-text [&_svg]:!size-4',
          success: '[&_[data-icon]]:text-success',
          error: '[&_[data-icon]]:text-danger',
          warning: '[&_[data-icon]]:text-warning',
          info: '[&_[data-icon]]:text-info',
        },
      }}
    />
  )
}
