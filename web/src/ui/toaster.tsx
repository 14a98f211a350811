// Shows the toasts: 5000 ms, paused by hover, focus and a hidden tab; errors stay until they
// are closed; at most three at once. An object already shown is not shown again, a replaced one updates its toast.
// They lie on no control: `toast-place.ts` finds where.
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { Toaster as Sonner, toast, useSonner } from 'sonner'
import { useAppliedTheme } from './theme'
import { useToasts, type Toast } from './toast'
import { useToastTop } from './toast-place'
import { PHONE, useMedia } from './use-media'

export default function Toaster() {
  const theme = useAppliedTheme()
  const phone = useMedia(PHONE)
  const { toasts, unseen } = useToasts()
  const allSeen = unseen === 0
  const lying = useSonner().toasts
  const top = useToastTop(lying.length > 0)
  const shown = useRef(new WeakSet<Toast>())
  const around = useRef<HTMLDivElement>(null)
  /** The focus is among them. The library itself waits for the pointer alone. */
  const [held, setHeld] = useState(false)
  const show = useEffectEvent(({ id, tone, text, duration, detail, action }: Toast) =>
    toast[tone](text, { id, duration: held ? Number.POSITIVE_INFINITY : duration, description: detail, action }),
  )

  useEffect(() => {
    if (toasts.length === 0) toast.dismiss()
    for (const each of toasts.toReversed()) {
      if (shown.current.has(each)) continue
      shown.current.add(each)
      show(each)
    }
  }, [toasts])

  const showAgain = useEffectEvent(() => {
    for (const each of toasts) if (lying.some(({ id }) => id === each.id)) show(each)
  })
  const wasHeld = useRef(held)
  useEffect(() => {
    if (wasHeld.current !== held) showAgain()
    wasHeld.current = held
  }, [held])
  // One that is closed takes the focus with it, and no event tells.
  useEffect(() => {
    setHeld(lying.length > 0 && around.current?.contains(document.activeElement) === true)
  }, [lying])

  // The open bell lies where the toasts are, and lists them.
  useEffect(() => {
    if (phone && allSeen) toast.dismiss()
  }, [phone, allSeen])

  return (
    <div
      ref={around}
      onFocus={() => setHeld(true)}
      onBlur={({ currentTarget, relatedTarget }) => {
        const stays = currentTarget.contains(relatedTarget)
        setHeld(stays)
        // The library has just sent the focus back to where it was before: a field that was pressed would not have it.
        if (!stays && relatedTarget instanceof HTMLElement) relatedTarget.focus()
      }}
    >
      <Sonner
        theme={theme}
        position="top-center"
        offset={{ top: 0 }}
        mobileOffset={{ top: 0 }}
        // Moved, not laid out anew: nothing else on the page takes part in it.
        style={{ translate: `0 ${top}px` }}
        visibleToasts={3}
        closeButton
        containerAriaLabel="Notificações"
        toastOptions={{
          closeButtonAriaLabel: 'Fechar notificação',
          classNames: {
            // An open dialog takes the presses from everything else on the page.
            toast:
              'data-[visible=true]:pointer-events-auto !rounded-card !border !border-line !bg-surface dark:!bg-sunken !font-sans !text-body !text-text !shadow-menu !py-3 !pr-12',
            title: '!font-medium',
            description: '!text-muted',
            actionButton: '!rounded-control !bg-primary !text-on-primary',
            closeButton:
              '!top-1/2 !right-2.5 !left-auto !size-8 ![transform:none] !-translate-y-1/2 !rounded-control !border-0 !bg-transparent !text-muted hover:!bg-sunken hover:!text-text dark:hover:!bg-surface [&_svg]:!size-4',
            success: '[&_[data-icon]]:text-success',
            error: '[&_[data-icon]]:text-danger',
            warning: '[&_[data-icon]]:text-warning',
            info: '[&_[data-icon]]:text-info',
          },
        }}
      />
    </div>
  )
}
