// Showing the second factor again before a command that the server refused with STEP_UP_REQUIRED. `api/client.ts` asks
// here and waits; `app/root.tsx` shows the dialog. All commands that wait get the one answer.
import { plugStepUp } from '../api/client'

type Answer = (shown: boolean) => void

let waiting: Answer[] = []
const listeners = new Set<() => void>()

function tell(): void {
  for (const listener of listeners) listener()
}

/** True once the factor was shown; false when the person gave up. */
export function askToStepUp(): Promise<boolean> {
  return new Promise((resolve) => {
    waiting = [...waiting, resolve]
    tell()
  })
}

export function answerStepUp(shown: boolean): void {
  const answered = waiting
  waiting = []
  for (const answer of answered) answer(shown)
  tell()
}

export function isStepUpAsked(): boolean {
  return waiting.length > 0
}

export function onStepUpAsked(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

plugStepUp(askToStepUp)
