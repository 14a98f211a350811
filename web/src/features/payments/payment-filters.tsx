// What the list of payments is narrowed by: words, days, status and method.
import { useEffect, useRef } from 'react'
import { paymentMethods } from '../../api/payment-methods'
import type { PaymentFilter } from '../../api/payments'
import { dayOf } from '../../lib/dates'
import { optionsOf, paymentStatuses } from '../../lib/labels'
import { serverNow } from '../../live/status'
import { Field } from '../../ui/field'
import { FilterSelect } from '../../ui/filter-select'
import { Input } from '../../ui/input'
import { SearchField } from '../../ui/search-field'

interface FiltersProps {
  filter: PaymentFilter
  /** Empty values take a filter away. */
  onChange: (change: Partial<Record<keyof PaymentFilter, string>>) => void
}

export function PaymentFilters({ filter, onChange }: FiltersProps) {
  const today = dayOf(serverNow())
  return (
    <>
      <SearchField
        hint="Plano, valor ou código"
        value={filter.search ?? ''}
        onSearch={(search) => onChange({ search })}
      />
      <DayField
        label="De"
        max={filter.endDate ?? today}
        value={filter.startDate ?? ''}
        onChange={(startDate) => onChange({ startDate })}
      />
      <DayField
        label="Até"
        min={filter.startDate}
        max={today}
        value={filter.endDate ?? ''}
        onChange={(endDate) => onChange({ endDate })}
      />
      <FilterSelect
        label="Status"
        all="Todos"
        options={optionsOf(paymentStatuses)}
        value={filter.status}
        onChange={(status) => onChange({ status })}
      />
      <FilterSelect
        label="Forma de pagamento"
        all="Todas"
        options={optionsOf(paymentMethods)}
        value={filter.method}
        onChange={(method) => onChange({ method })}
      />
    </>
  )
}

const FIRST_DAY = '2000-01-01'

interface DayFieldProps {
  label: string
  min?: string | undefined
  max: string
  /** Empty for none. */
  value: string
  onChange: (day: string) => void
}

/** The browser keeps what is half typed: its first digits of a year are a year too, and no day that was meant. */
function DayField({ label, min = FIRST_DAY, max, value, onChange }: DayFieldProps) {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (input.current && input.current.value !== value) input.current.value = value
  }, [value])
  return (
    <Field label={label} className="min-w-0 flex-1 basis-36 sm:max-w-44">
      <Input
        ref={input}
        type="date"
        min={min}
        max={max}
        defaultValue={value}
        onChange={({ target }) => target.validity.valid && target.value !== value && onChange(target.value)}
      />
    </Field>
  )
}
