// A field for reais or whole numbers; the value is a number, or null while the text is none. The text is the person's
// own until the field is left.
import { useState, type Ref } from 'react'
import { formatNumber, parseNumber } from '../lib/numbers'
import { cx } from './cx'
import { Input } from './input'

/** A number of more digits is not exact, and no amount or count is that large. */
const MOST_DIGITS = 15

export interface NumberInputProps {
  /** Reais have two places and the currency; whole numbers have neither. */
  kind: 'reais' | 'whole'
  value: number | null
  onChange: (value: number | null) => void
  name?: string
  onBlur?: () => void
  ref?: Ref<HTMLInputElement>
}

export function NumberInput({ kind, value, onChange, onBlur, ...rest }: NumberInputProps) {
  const isMoney = kind === 'reais'
  const places = isMoney ? 2 : 0
  const [text, setText] = useState(() => formatNumber(value, places))
  // Changed from outside: a button filled it in, the form was reset.
  if (parseNumber(text, places) !== value) setText(formatNumber(value, places))

  const type = (typed: string) => {
    const allowed = typed.replace(isMoney ? /[^\d.,]/g : /[^\d.]/g, '')
    if (allowed.replace(/\D/g, '').length > MOST_DIGITS) return
    const next = parseNumber(allowed, places)
    // A text that is no number yet stays as the field's last number has it.
    if (next === null && allowed !== '') return
    setText(allowed)
    onChange(next)
  }
  return (
    <div className="relative">
      {isMoney && (
        <span aria-hidden="true" className="pointer-events-none absolute inset-y-0 left-3 flex items-center text-muted">
          R$
        </span>
      )}
      <Input
        {...rest}
        value={text}
        onChange={(event) => type(event.target.value)}
        onBlur={() => {
          setText(formatNumber(value, places))
          onBlur?.()
        }}
        inputMode={isMoney ? 'decimal' : 'numeric'}
        autoComplete="off"
        className={cx('tabular-nums', isMoney && 'pl-9')}
      />
    </div>
  )
}
