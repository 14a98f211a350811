// Numbers as people in Brazil type them; the value is a number, or null while the field is empty.
import type { Ref } from 'react'
import { NumericFormat } from 'react-number-format'
import { Input } from './input'

export interface NumberInputProps {
  /** Reais have two places and the currency; whole numbers have neither. */
  kind: 'reais' | 'whole'
  value: number | null
  onChange: (value: number | null) => void
  name?: string
  onBlur?: () => void
  ref?: Ref<HTMLInputElement>
}

export function NumberInput({ kind, value, onChange, ref, ...rest }: NumberInputProps) {
  const isMoney = kind === 'reais'
  return (
    <NumericFormat
      customInput={Input}
      getInputRef={ref}
      value={value ?? ''}
      onValueChange={({ floatValue }) => onChange(floatValue ?? null)}
      prefix={isMoney ? 'R$ ' : ''}
      thousandSeparator="."
      decimalSeparator=","
      decimalScale={isMoney ? 2 : 0}
      fixedDecimalScale={isMoney}
      allowNegative={false}
      inputMode={isMoney ? 'decimal' : 'numeric'}
      autoComplete="off"
      {...rest}
    />
  )
}
