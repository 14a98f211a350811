// Mounts the dialog that asks for the second factor while somebody waits for it; its code comes with the first question.
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
