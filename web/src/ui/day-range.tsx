// A filter of a list by days, both included: two date fields that live in the URL.
import { isCalendarDay } from '../lib/dates'
import { Field } from './field'
import { Input } from './input'
import type { UrlState } from './url-state'

export interface Days {
  from?: string
  to?: string
}

export interface DayRangeProps {
  url: UrlState
  /** The last day that can be chosen. */
  max: string
  onChange: (change: Record<string, string>) => void
}

export function DayRange({ url, max, onChange }: DayRangeProps) {
  return (
    <>
      {(
        [
          ['from', 'De'],
          ['to', 'Até'],
        ] as const
      ).map(([name, label]) => (
        <Field key={name} label={label} className="min-w-0 flex-1 basis-36 sm:max-w-44">
          <Input
            type="date"
            value={url.get(name) ?? ''}
            max={max}
            onChange={(event) => onChange({ [name]: event.target.value })}
          />
        </Field>
      ))}
    </>
  )
}

/** What the URL names wrongly is no filter; days in the wrong order are turned. */
export function daysOf(url: Pick<UrlState, 'get'>): Days {
  const [from, to] = [url.get('from'), url.get('to')].map((day) => (day && isCalendarDay(day) ? day : undefined))
  const turned = from !== undefined && to !== undefined && from > to
  const [first, last] = turned ? [to, from] : [from, to]
  return { ...(first && { from: first }), ...(last && { to: last }) }
}
