// The 60 s between two codes, kept over a reload: the tab remembers when it sent the last one. A rate limit may be
// longer.
import { useEffect, useState } from 'react'
import { asApiError, type ApiError } from '../api/errors'
import { announce } from '../ui/announcer'
import { sentenceAt, useRetrySeconds } from '../ui/failure-alert'
import type { CodeFlow } from './session'
import { session } from './use-session'

const COUNTDOWN_MS = 60_000
const SENT = 'Código enviado com sucesso!'
const CODE_LIFE_MS = 15 * 60_000

export interface Resend {
  secondsLeft: number
  /** What the last resend said. */
  message: string | null
  isSent: boolean
  sending: boolean
  send: () => Promise<void>
}

export function useResend(flow: CodeFlow, call: () => Promise<unknown>): Resend {
  const [secondsLeft, setSecondsLeft] = useState(() => leftOf(flow))
  const [isSent, setSent] = useState(false)
  const [failure, setFailure] = useState<ApiError | null>(null)
  const wait = useRetrySeconds(failure)
  const [sending, setSending] = useState(false)

  useEffect(() => {
    const timer = setInterval(() => setSecondsLeft(leftOf(flow)), 1000)
    return () => clearInterval(timer)
  }, [flow])

  const send = async () => {
    setSending(true)
    setSent(false)
    setFailure(null)
    try {
      await call()
      session.markCodeSent(flow)
      setSent(true)
      announce(SENT)
    } catch (thrown) {
      const error = asApiError(thrown)
      setFailure(error)
      announce(error.sentence)
    } finally {
      setSending(false)
      setSecondsLeft(leftOf(flow))
    }
  }

  const message = isSent ? SENT : failure && sentenceAt(failure, wait)
  return { secondsLeft: Math.max(secondsLeft, wait), message, isSent, sending, send }
}

/** Whether the last code is known to be older than its 15 minutes. */
export function isCodeExpired(flow: CodeFlow): boolean {
  const at = session.codeSentAt(flow)
  return at !== null && Date.now() - at > CODE_LIFE_MS
}

function leftOf(flow: CodeFlow): number {
  const at = session.codeSentAt(flow)
  // A moment that is still to come was told by a clock that has been set back since.
  if (at === null || at > Date.now()) return 0
  return Math.max(0, Math.ceil((at + COUNTDOWN_MS - Date.now()) / 1000))
}
