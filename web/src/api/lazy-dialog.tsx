// A dialog whose code is loaded when it is first opened, as `lazy-part.tsx` says.
import type { ComponentType } from 'react'
import { Dialog } from '../ui/dialog'
import { lazyPart } from './lazy-part'

interface DialogLike {
  open?: boolean
  onClose: () => void
}

export function lazyDialog<P extends DialogLike>(load: () => Promise<{ default: ComponentType<P> }>) {
  return lazyPart(load, ({ open, onClose }, notice) => (
    <Dialog open={open} onClose={onClose} title="Sem conexão">
      {notice}
    </Dialog>
  ))
}
