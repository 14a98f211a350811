// Six digits, one box each, one real input underneath: typing, pasting "123 456" and the phone's one-time code work.
import { OTPInput, REGEXP_ONLY_DIGITS } from 'input-otp'
import { useRef, type Ref } from 'react'
import { cx } from './cx'
import { useField } from './field'

interface OtpInputProps {
  value: string
  onChange: (value: string) => void
  onComplete?: (value: string) => void
  /** Something else than digits and separators was typed or pasted. */
  onForeign: () => void
  /** Takes the focus from the heading of a page that opens. */
  focusFirst?: boolean
  ref?: Ref<HTMLInputElement>
}

const FOREIGN = /[^\d\s.-]/

export function OtpInput({ value, onChange, onComplete, onForeign, focusFirst, ref }: OtpInputProps) {
  const wiring = useField()
  /** Told after the digits of the same paste, which take back what was told before. */
  const pastedForeign = useRef(false)
  const take = (digits: string) => {
    onChange(digits)
    if (pastedForeign.current) onForeign()
    pastedForeign.current = false
  }
  return (
    <OTPInput
      ref={ref}
      {...wiring}
      maxLength={6}
      pattern={REGEXP_ONLY_DIGITS}
      inputMode="numeric"
      autoComplete="one-time-code"
      value={value}
      onChange={take}
      onComplete={onComplete}
      data-focus-first={focusFirst || undefined}
      onBeforeInput={({ data }) => FOREIGN.test(data ?? '') && onForeign()}
      pasteTransformer={(text) => {
        pastedForeign.current = FOREIGN.test(text)
        return text.replace(/\D/g, '')
      }}
      pushPasswordManagerStrategy="none"
      noScriptCSSFallback={null}
      containerClassName="flex w-full gap-1.5 sm:gap-2"
      render={({ slots }) =>
        slots.map((slot, index) => (
          <div
            key={index}
            aria-hidden="true"
            className={cx(
              'grid h-12 min-w-0 flex-1 place-items-center rounded-control border bg-surface font-mono text-h3 tabular-nums',
              wiring['aria-invalid'] ? 'border-danger' : 'border-control',
              slot.isActive && 'outline-2 outline-focus',
              // No element of its own: a dialog takes the focus of Tab back when something vanishes at that moment.
              slot.hasFakeCaret && 'after:h-6 after:w-px after:animate-pulse after:bg-text',
            )}
          >
            {slot.char}
          </div>
        ))
      }
    />
  )
}
