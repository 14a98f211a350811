// A read-only code with a copy button: confirmed for 2 s, announced, and swept by the beam. When copying is
// not possible (no secure context, refused), the text is selected for the person instead.
import { useEffect, useId, useRef, useState } from 'react'
import { announce } from './announcer'
import { Button } from './button'
import { CheckIcon, CopyIcon } from './icons'
import { controlClass } from './input'
import { cx } from './cx'

const CONFIRMED_MS = 2_000

export const COPY_FAILED = 'Não foi possível copiar. Selecione e copie manualmente.'

interface CopyFieldProps {
  label: string
  value: string
  /** The button's words, e.g. "Copiar código PIX". */
  copyLabel: string
  copiedLabel?: string
  /** What is put on the clipboard when it differs from what is shown. */
  copyValue?: string
  /** The button below the field, which is then wide enough for a whole line of numbers. */
  stacked?: boolean
  /** Copying is the way on: its button is the one to press. */
  primary?: boolean
}

export function CopyField({
  label,
  value,
  copyLabel,
  copiedLabel = 'Código Copiado!',
  copyValue = value,
  stacked,
  primary,
}: CopyFieldProps) {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const [copied, setCopied] = useCopied()
  const [failed, setFailed] = useState(false)

  const copy = async () => {
    const done = await copyText(copyValue)
    setCopied(done)
    setFailed(!done)
    announce(done ? copiedLabel : COPY_FAILED)
    if (!done) field.current?.select()
  }

  return (
    <div className="grid gap-2">
      <label htmlFor={id} className="text-label font-medium">
        {label}
      </label>
      <div className={cx('flex flex-col gap-2', !stacked && 'sm:flex-row')} data-bipe={copied ? '' : undefined}>
        <input
          id={id}
          ref={field}
          readOnly
          value={value}
          onFocus={(event) => event.target.select()}
          className={cx(controlClass, 'h-control px-3 font-mono tabular-nums', stacked && 'sm:text-label')}
        />
        <Button variant={primary ? 'primary' : 'secondary'} onClick={() => void copy()}>
          {copied ? <CheckIcon /> : <CopyIcon />}
          {copied ? copiedLabel : copyLabel}
        </Button>
      </div>
      {failed && <p className="text-label text-danger">{COPY_FAILED}</p>}
    </div>
  )
}

/** Whether a copy is confirmed, which ends by itself after 2 s; each copy begins them anew. */
export function useCopied() {
  const [copy, setCopy] = useState<object | null>(null)
  useEffect(() => {
    if (copy === null) return
    const timer = setTimeout(() => setCopy(null), CONFIRMED_MS)
    return () => clearTimeout(timer)
  }, [copy])
  return [copy !== null, (done: boolean) => setCopy(done ? {} : null)] as const
}

/** False when the browser refused, which is logged; the old command is the fallback outside secure contexts. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const done = copyBySelection(text)
    if (!done) console.warn('clipboard refused')
    return done
  }
}

/** Beside the button that has the focus: a dialog takes the focus back from what stands outside of it. */
function copyBySelection(text: string): boolean {
  const focused = document.activeElement
  const place = focused?.closest('[role="dialog"], [role="alertdialog"]') ?? document.body
  const area = document.createElement('textarea')
  area.value = text
  area.setAttribute('readonly', '')
  area.style.position = 'fixed'
  area.style.opacity = '0'
  place.append(area)
  area.focus({ preventScroll: true })
  area.select()
  try {
    return document.execCommand('copy')
  } catch {
    return false
  } finally {
    area.remove()
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true })
  }
}
