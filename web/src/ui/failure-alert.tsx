// A form's failure: title, sentence, details. A rate limit counts down, and `useRetrySeconds` tells the
// form's button when it may be pressed again. It is announced once: a live region that comes with its words may stay
// unheard, and one that counts would speak every second.
import { useEffect, useState, type ReactNode } from 'react'
import { formatWait } from '../lib/countdown'
import type { Failure } from '../lib/failure'
import { Alert } from './alert'
import { announce } from './announcer'
import { FailureDetails } from './failure-details'

/** Seconds until a refused call may be repeated; 0 when it may be. */
export function useRetrySeconds(failure: Failure | null | undefined): number {
  const [left, setLeft] = useState(0)
  useEffect(() => {
    const seconds = failure?.code === 'RATE_LIMITED' ? (failure.retryAfter ?? 60) : 0
    // Whichever has gone further: the clock may be set back, and the timer of the page stand while the machine sleeps.
    const [setOff, started] = [Date.now(), performance.now()]
    const passed = () => Math.max(Date.now() - setOff, performance.now() - started)
    const tick = () => setLeft(Math.max(0, Math.ceil(seconds - passed() / 1000)))
    tick()
    if (seconds === 0) return
    const timer = setInterval(tick, 1000)
    return () => clearInterval(timer)
  }, [failure])
  return left
}

/** The failure's sentence with what is left of its wait; null once it is over. */
export function sentenceAt(failure: Failure, seconds: number): string | null {
  if (failure.code !== 'RATE_LIMITED') return failure.sentence
  return seconds === 0 ? null : failure.sentence.replace(/\d[\d a-z]*/, formatWait(seconds))
}

interface FailureAlertProps {
  failure: Failure | null | undefined
  /** The sentence of the action's failure, e.g. 'Erro ao criar empresa'. */
  title?: string
  actions?: ReactNode
  /** Where it stands: it is not there without a failure. */
  className?: string
}

export function FailureAlert({ failure, title, actions, className }: FailureAlertProps) {
  const seconds = useRetrySeconds(failure)
  const sentence = failure && sentenceAt(failure, seconds)
  const said = failure && [title, failure.sentence].filter(Boolean).join('. ')
  useEffect(() => {
    if (said) announce(said)
  }, [said])
  if (!failure || sentence === null) return null
  const detailed = failure.status === undefined || failure.status >= 500
  return (
    <Alert tone="danger" role="none" title={title} actions={actions} className={className}>
      <p className="tabular-nums">{sentence}</p>
      {detailed && <FailureDetails code={failure.code} requestId={failure.requestId} />}
    </Alert>
  )
}
