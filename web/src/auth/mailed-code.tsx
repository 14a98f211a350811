// The parts of a form that asks for a mailed code: where it was sent, its field, and the button that sends another.
import { useEffect, useRef } from 'react'
import { Controller, type FieldPath, type FieldValues, type PathValue, type UseFormReturn } from 'react-hook-form'
import { formatWait } from '../lib/countdown'
import { ClosingAddress } from '../ui/address'
import { Button } from '../ui/button'
import { cx } from '../ui/cx'
import { Field } from '../ui/field'
import { OtpInput } from '../ui/otp-input'
import type { Resend } from './use-resend'

export function CodeSentTo({ email }: { email: string }) {
  return (
    <>
      Digite o código enviado para <ClosingAddress email={email} />
    </>
  )
}

interface CodeFieldProps<T extends FieldValues, Output> {
  form: Pick<UseFormReturn<T, unknown, Output>, 'clearErrors' | 'control' | 'setError' | 'setValue'>
  name: FieldPath<T>
  label: string
  /** Instead of the field's own. */
  error?: string | false
  /** Six digits are there, each time anew. */
  onComplete?: () => void
  /** The one thing to do on its page, or in a form that appears by itself. */
  takesFocus: boolean
}

export function CodeField<T extends FieldValues, Output>({
  form: { clearErrors, control, setError, setValue },
  name,
  label,
  error,
  onComplete,
  takesFocus,
}: CodeFieldProps<T, Output>) {
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (takesFocus) box.current?.focus()
  }, [takesFocus])
  /** A code is judged when it is sent: while it is typed, only what is no digit is told. */
  const take = (digits: string) => {
    setValue(name, digits as PathValue<T, FieldPath<T>>, { shouldDirty: true })
    clearErrors(name)
  }
  return (
    <Controller
      control={control}
      name={name}
      render={({ field: { ref, value }, fieldState }) => (
        <Field
          label={label}
          error={error || fieldState.error?.message}
          hint="Confira o spam. O código vale 15 minutos."
          required
        >
          <OtpInput
            ref={(input) => {
              ref(input)
              box.current = input
            }}
            value={value}
            onChange={take}
            onComplete={onComplete}
            onForeign={() => setError(name, { type: 'digits', message: 'Código deve conter apenas números' })}
            focusFirst={takesFocus}
          />
        </Field>
      )}
    />
  )
}

/** A screen reader reads the name of what has the focus whenever it changes: it counts in larger steps than the eye. */
const NAMED_EVERY_S = 30

export function ResendButton({ resend, disabled }: { resend: Resend; disabled?: boolean }) {
  const { secondsLeft, message, isSent, sending, send } = resend
  const labelAt = (seconds: number) => (seconds > 0 ? `Reenviar código em ${formatWait(seconds)}` : 'Reenviar código')
  return (
    <div className="flex flex-col items-center gap-2 text-center">
      <Button
        variant="ghost"
        size="small"
        disabled={disabled || secondsLeft > 0}
        aria-label={secondsLeft > 0 ? labelAt(Math.ceil(secondsLeft / NAMED_EVERY_S) * NAMED_EVERY_S) : undefined}
        busy={sending ? 'Enviando...' : undefined}
        onClick={() => void send()}
      >
        <span className="tabular-nums">{labelAt(secondsLeft)}</span>
      </Button>
      <p className={cx('text-label empty:-mt-2', isSent ? 'text-success' : 'text-danger')}>{message}</p>
    </div>
  )
}
