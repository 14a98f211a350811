// "Reenviar código" with its countdown and its answer.
import { Button } from '../ui/button'
import { cx } from '../ui/cx'
import type { Resend } from './use-resend'

export function ResendButton({ resend, disabled }: { resend: Resend; disabled?: boolean }) {
  const { secondsLeft, message, sending, send } = resend
  return (
    <div className="flex flex-col items-center gap-2 text-center">
      <Button
        variant="ghost"
        size="small"
        disabled={disabled || secondsLeft > 0}
        busy={sending ? 'Enviando...' : undefined}
        onClick={() => void send()}
      >
        <span className="tabular-nums">
          {secondsLeft > 0 ? `Reenviar código em ${secondsLeft} s` : 'Reenviar código'}
        </span>
      </Button>
      <p
        aria-live="polite"
        className={cx('text-label empty:-mt-2', message?.includes('sucesso') ? 'text-success' : 'text-danger')}
      >
        {message}
      </p>
    </div>
  )
}
