// An input that puts what is typed into a form. The caret stays behind the letter or digit that was typed last, also
// in the middle of the text.
import { useLayoutEffect, useState, type ChangeEvent, type ComponentProps } from 'react'
import { Input } from './input'

const WRITTEN = /[0-9a-z]/gi

interface MaskedInputProps extends Omit<ComponentProps<'input'>, 'value' | 'onChange'> {
  value: string
  format: (typed: string) => string
  onValue: (formatted: string) => void
}

export function MaskedInput({ value, format, onValue, ...rest }: MaskedInputProps) {
  // Another object for each change: where the mask brings back what stood there before, nothing else is drawn again.
  const [caret, setCaret] = useState<{ control: HTMLInputElement; written: number } | null>(null)
  useLayoutEffect(() => {
    if (caret === null) return
    const place = placeAfter(caret.control.value, caret.written)
    caret.control.setSelectionRange(place, place)
  }, [caret])
  const change = ({ target: control }: ChangeEvent<HTMLInputElement>) => {
    const typed = control.value
    const formatted = format(typed)
    const before = typed.slice(0, control.selectionStart ?? typed.length)
    if (formatted !== typed) setCaret({ control, written: before.match(WRITTEN)?.length ?? 0 })
    onValue(formatted)
  }
  return <Input spellCheck={false} {...rest} value={value} onChange={change} />
}

/** Behind so many letters and digits. */
function placeAfter(text: string, written: number): number {
  if (written === 0) return 0
  const places = [...text.matchAll(WRITTEN)]
  const last = places[written - 1]
  return last ? last.index + 1 : text.length
}
