// Showing the second factor again before a command that the server refused with STEP_UP_REQUIRED. `api/client.ts` asks
// here and waits; `app/root.tsx` shows the dialog. All commands that wait get the one answer.
import { setStepUpHandler } from '../api/client'
import { Observable, useObservable } from '../lib/observable'

type Answer = (shown: boolean) => void

const waiting = new Observable<readonly Answer[]>([])

/** True once the factor was shown; false when the person gave up. */
setStepUpHandler(() => new Promise((resolve) => waiting.set([...waiting.get(), resolve])))

export function answerStepUp(shown: boolean): void {
  const answered = waiting.get()
  waiting.set([])
  for (const answer of answered) answer(shown)
}

export function useIsStepUpAsked(): boolean {
  return useObservable(waiting).length > 0
}
