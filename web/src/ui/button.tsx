// Buttons. One primary per view; amber is never a button. A busy button keeps its width: the label stays in
// place, invisible, under the busy text. A button that is disabled while it has the focus keeps it until the person
// moves on; the browser alone would drop the focus. The second click of a double click is ignored: it may come before
// the button is shown as busy.
import { useRef, useState, type ComponentProps, type FocusEvent, type MouseEvent, type ReactNode } from 'react'
import { BusyIcon } from './icons'
import { cx } from './cx'

type ButtonVariant = 'primary' | 'secondary' | 'ghost' | 'danger'

const base = cx(
  'inline-flex shrink-0 items-center justify-center gap-2 rounded-control font-medium select-none',
  'transition-colors duration-120 ease-out [&_svg]:size-4.5 [&_svg]:shrink-0',
  'enlarged:h-auto enlarged:min-h-11 enlarged:shrink enlarged:whitespace-normal',
  'aria-disabled:opacity-55 aria-disabled:cursor-not-allowed disabled:opacity-55 disabled:cursor-not-allowed',
)

const variants: Record<ButtonVariant, string> = {
  primary: 'bg-primary text-on-primary enabled:hover:bg-primary-hover [a]:hover:bg-primary-hover',
  secondary: 'border border-control bg-surface text-text enabled:hover:bg-sunken [a]:hover:bg-sunken',
  ghost: 'text-text enabled:hover:bg-sunken [a]:hover:bg-sunken',
  danger: 'bg-danger text-on-danger enabled:hover:opacity-90',
}

const sizes = {
  normal: 'h-control px-4 text-body',
  small: 'h-8 px-3 text-label whitespace-nowrap',
  icon: 'h-control w-10 pointer-coarse:w-11',
}

interface ButtonLook {
  variant?: ButtonVariant | undefined
  size?: keyof typeof sizes | undefined
}

/** The same look for links: `<Link className={buttonClass({ variant: 'primary' })}>`. */
export function buttonClass({ variant = 'primary', size = 'normal' }: ButtonLook = {}, extra?: string): string {
  return cx(base, variants[variant], sizes[size], extra)
}

export interface ButtonProps extends ComponentProps<'button'>, ButtonLook {
  /** Shown instead of the label while a call is under way; the button is then disabled. */
  busy?: ReactNode
}

export function Button({
  variant,
  size,
  busy,
  children,
  className,
  disabled = false,
  type = 'button',
  onClick,
  onFocus,
  onBlur,
  'aria-label': label,
  ...rest
}: ButtonProps) {
  const isBusy = busy !== undefined && busy !== false && busy !== null
  const [focused, setFocused] = useState(false)
  const isOff = disabled || isBusy
  const keepsFocus = isOff && focused
  const pressed = useRef(false)
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    if (keepsFocus || pressed.current) return event.preventDefault()
    pressed.current = true
    onClick?.(event)
    setTimeout(() => {
      pressed.current = false
    })
  }
  const follow = (event: FocusEvent<HTMLButtonElement>) => {
    setFocused(event.type === 'focus')
    const handle = event.type === 'focus' ? onFocus : onBlur
    handle?.(event)
  }
  return (
    <button
      type={type}
      className={buttonClass({ variant, size }, className)}
      disabled={isOff && !keepsFocus}
      aria-disabled={keepsFocus || undefined}
      aria-busy={isBusy || undefined}
      // The busy text is told as the change of the name of what has the focus.
      aria-label={isBusy ? undefined : label}
      onClick={press}
      onFocus={follow}
      onBlur={follow}
      {...rest}
    >
      {isBusy ? (
        <span className="grid items-center justify-items-center">
          <span className="invisible col-start-1 row-start-1 inline-flex items-center gap-2" aria-hidden="true">
            {children}
          </span>
          <span className="col-start-1 row-start-1 inline-flex items-center gap-2">
            <BusyIcon className="animate-spin" />
            {busy}
          </span>
        </span>
      ) : (
        children
      )}
    </button>
  )
}
