// Stops and resumes what moves by itself; what waits meanwhile is counted.
import { useObservable } from '../lib/observable'
import { Button } from '../ui/button'
import { liveControls } from './controls'
import { useLiveStatus } from './status'

export function PauseButton({ size }: { size?: 'normal' | 'small' }) {
  const { paused, waiting } = useLiveStatus()
  const controls = useObservable(liveControls)
  if (!paused) {
    return (
      <Button variant="secondary" size={size} onClick={() => controls?.pause()} disabled={controls === null}>
        Pausar atualizações
      </Button>
    )
  }
  return (
    <Button size={size} onClick={() => controls?.resume()} disabled={controls === null}>
      {resumeLabel(waiting)}
    </Button>
  )
}

function resumeLabel(waiting: number): string {
  if (waiting === 0) return 'Retomar atualizações'
  return waiting === 1 ? '1 atualização pendente - aplicar' : `${waiting} atualizações pendentes - aplicar`
}
