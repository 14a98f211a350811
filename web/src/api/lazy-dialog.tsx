// A dialog whose code is loaded when it is first opened, as `lazy-part.tsx` says.
import type { ComponentType } from 'react'
import { Dialog } from '../ui/dialog'
import { lazyPart } from './lazy-part'

export function lazyDialog<P extends { onClose: () => void }>(load: () => Promise<{ default: ComponentType<P> }>) {
  return lazyPart(load, ({ onClose }, notice, title) => (
    <Dialog onClose={onClose} title={title}>
      {notice}
    </Dialog>
  ))
}
