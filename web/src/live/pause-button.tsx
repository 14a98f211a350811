// Stops and resumes what moves by itself; what waits meanwhile is counted.
import { Button } from '../ui/button'
import { liveControls } from './controls'
import { useLiveStatus } from './status'

export function PauseButton({ size }: { size?: 'normal' | 'small' }) {
  const { paused, waiting } = useLiveStatus()
  if (!paused) {
    return (
      <Button variant="secondary" size={size} onClick={() => liveControls.get()?.pause()}>
        Pausar atualizações
      </Button>
    )
  }
  return (
    <Button size={size} onClick={() => liveControls.get()?.resume()}>
      {resumeLabel(waiting)}
    </Button>
  )
}

function resumeLabel(waiting: number): string {
  if (waiting === 0) return 'Retomar atualizações'
  return waiting === 1 ? '1 atualização pendente - aplicar' : `${waiting} atualizações pendentes - aplicar`
}
