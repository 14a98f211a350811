// A filter of a list by days, both included: two date fields that live in the URL.
import { useEffect, useRef, useState } from 'react'
import { isCalendarDay } from '../lib/dates'
import { Field } from './field'
import { Input } from './input'
import type { UrlState } from './url-state'

export interface Days {
  from?: string
  to?: string
}

/** The server knows no earlier one. */
const FIRST_DAY = '2000-01-01'

interface DayRangeProps {
  url: Pick<UrlState, 'get'>
  /** The last day that can be chosen. */
  max: string
  /** An empty day takes it away. */
  onChange: (change: Record<string, string>) => void
}

export function DayRange({ url, max, onChange }: DayRangeProps) {
  const { from, to } = daysOf(url)
  return (
    <div className="flex min-w-0 flex-1 basis-83 flex-wrap gap-3 enlarged:basis-full sm:max-w-91">
      <DayField
        label="De"
        min={FIRST_DAY}
        max={to ?? max}
        value={from ?? ''}
        onChange={(day) => onChange({ from: day })}
      />
      <DayField
        label="Até"
        min={from ?? FIRST_DAY}
        max={max}
        value={to ?? ''}
        onChange={(day) => onChange({ to: day })}
      />
    </div>
  )
}

interface DayFieldProps {
  label: string
  min: string
  max: string
  /** Empty for none. */
  value: string
  onChange: (day: string) => void
}

/**
 * While a year is typed the browser reports partial years, such as 0002. So a day outside `min` and `max` is passed on
 * only when the field loses the focus.
 */
function DayField({ label, min, max, value, onChange }: DayFieldProps) {
  const input = useRef<HTMLInputElement>(null)
  const [isWrong, setWrong] = useState(false)
  useEffect(() => {
    if (input.current && input.current.value !== value) input.current.value = value
  }, [value])
  return (
    <Field
      label={label}
      error={isWrong && 'Valor inválido'}
      className="min-w-0 flex-1 basis-36 enlarged:basis-full sm:max-w-44"
    >
      <Input
        ref={input}
        type="date"
        min={min}
        max={max}
        defaultValue={value}
        onChange={({ target }) => {
          setWrong(false)
          if (target.validity.valid && target.value !== value) onChange(target.value)
        }}
        onBlur={({ target }) => {
          if (target.validity.valid) return
          const day = target.value
          setWrong(!isKnown(day))
          if (!isKnown(day)) return
          // Turned with the other day, this field may be left with the day that it had.
          target.value = value
          onChange(day)
        }}
      />
    </Field>
  )
}

/** What the URL names wrongly is no filter; days in the wrong order are turned. */
export function daysOf(url: Pick<UrlState, 'get'>): Days {
  const [from, to] = [url.get('from'), url.get('to')].map((day) => (day && isKnown(day) ? day : undefined))
  const turned = from !== undefined && to !== undefined && from > to
  const [first, last] = turned ? [to, from] : [from, to]
  return { ...(first && { from: first }), ...(last && { to: last }) }
}

const isKnown = (day: string) => isCalendarDay(day) && day >= FIRST_DAY && day < '9999'
