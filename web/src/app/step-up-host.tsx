// Mounts the dialog that asks for the second factor while a command waits for it. Its code is loaded at the first
// question.
import { lazy, Suspense, useSyncExternalStore } from 'react'
import { answerStepUp, isStepUpAsked, onStepUpAsked } from '../auth/step-up'

const StepUpDialog = lazy(() =>
  import('../features/auth/step-up-dialog').then((module) => ({ default: module.StepUpDialog })),
)

export function StepUpHost() {
  const asked = useSyncExternalStore(onStepUpAsked, isStepUpAsked)
  if (!asked) return null
  return (
    <Suspense fallback={null}>
      <StepUpDialog onAnswer={answerStepUp} />
    </Suspense>
  )
}
