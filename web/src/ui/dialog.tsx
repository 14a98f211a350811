// Dialog for content, AlertDialog (own file) for irreversible acts, Sheet for records beside a list. While
// `busy`, Esc and the scrim close nothing. Focus goes back to the opener.
import type { ReactNode } from 'react'
import { Dialog as Radix } from 'radix-ui'
import { cx } from './cx'
import { CloseIcon } from './icons'
import { ignoreOutside } from './second-click'
import { focusEndOfField, focusTitleOf, useOpener } from './use-opener'

export const scrimClass = 'fixed inset-0 z-50 bg-scrim animate-fade'
const closeClass =
  'absolute top-3.75 right-2.75 grid size-9 sm:top-4.75 sm:right-3.75 place-items-center rounded-control text-muted hover:bg-sunken hover:text-text'

const widths = {
  normal: 'sm:max-w-[440px]',
  payment: 'sm:max-w-[560px]',
  checkout: 'sm:max-w-[560px] lg:max-w-[920px]',
}

interface DialogProps {
  onClose: () => void
  title: ReactNode
  description?: ReactNode
  busy?: boolean
  width?: keyof typeof widths
  /** The title is the news: it takes the focus, not the first control. */
  focusTitle?: boolean
  /** The first field takes the focus with the caret after its text; otherwise its text is selected. */
  focusEnd?: boolean
  /** The buttons; on phones they stick to the bottom. */
  footer?: ReactNode
  children?: ReactNode
}

export function Dialog({
  onClose,
  title,
  description,
  busy,
  width = 'normal',
  focusTitle,
  focusEnd,
  footer,
  children,
}: DialogProps) {
  const focus = useOpener(focusTitle ? focusTitleOf : focusEnd ? focusEndOfField : undefined)
  const hold = (event: Event) => {
    if (busy) event.preventDefault()
  }
  return (
    <Radix.Root open onOpenChange={(next) => !next && !busy && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className={scrimClass} />
        <Radix.Content
          {...focus}
          onEscapeKeyDown={hold}
          onInteractOutside={(event) => {
            hold(event)
            ignoreOutside(event)
          }}
          {...(description ? {} : { 'aria-describedby': undefined })}
          className={cx(
            'fixed inset-x-0 bottom-0 z-50 flex max-h-[92dvh] flex-col rounded-t-dialog bg-surface shadow-dialog animate-enter outline-none dark:ring-1 dark:ring-line',
            // Centred by its margins: a translation by half of an odd height lands between two pixels.
            'sm:inset-x-4 sm:inset-y-0 sm:m-auto sm:h-fit sm:max-h-[88dvh] sm:rounded-dialog',
            'low:block low:overflow-y-auto',
            widths[width],
          )}
        >
          <div className="grid gap-1 px-5 pt-5 pb-3 sm:px-6 sm:pt-6">
            <Radix.Title tabIndex={-1} className="pr-9 text-h3 font-semibold text-balance wrap-anywhere outline-none">
              {title}
            </Radix.Title>
            {description && <Radix.Description className="wrap-anywhere text-muted">{description}</Radix.Description>}
          </div>
          <div className="min-h-0 flex-1 overflow-y-auto low:overflow-visible px-5 pt-1 pb-5 sm:px-6 sm:pb-6">
            {children}
          </div>
          {footer && (
            <div className="flex flex-col-reverse gap-2 border-t border-line px-5 py-4 sm:flex-row sm:justify-end sm:px-6">
              {footer}
            </div>
          )}
          {!busy && (
            <Radix.Close aria-label="Fechar" className={closeClass}>
              <CloseIcon className="size-4.5" />
            </Radix.Close>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
