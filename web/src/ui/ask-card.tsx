// A card with one act that is asked about first: the button opens the dialog, which says when it is closed.
import { useState, type ReactNode } from 'react'
import { Button } from './button'
import { Card, CardHeader } from './card'

interface AskCardProps {
  title: string
  actLabel: string
  /** What the act means, in one sentence. */
  children: ReactNode
  /** Set apart in red: the act cannot be undone. */
  danger?: boolean
  renderDialog: (onClose: () => void) => ReactNode
}

export function AskCard({ title, actLabel, children, danger = false, renderDialog }: AskCardProps) {
  const [isAsking, setIsAsking] = useState(false)
  return (
    <Card className={danger ? 'border-danger! [&>header]:mb-0' : '[&>header]:mb-0'}>
      <CardHeader
        title={title}
        actions={
          <Button variant={danger ? 'danger' : 'secondary'} size="small" onClick={() => setIsAsking(true)}>
            {actLabel}
          </Button>
        }
      >
        {children}
      </CardHeader>
      {isAsking && renderDialog(() => setIsAsking(false))}
    </Card>
  )
}
