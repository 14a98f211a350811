// The keyboard's ways through the signed-in area: the shortcuts, and the two dialogs that they open. Both are loaded
// with their first opening; what is typed meanwhile waits for the command palette's field. A button of the header opens
// the palette, too.
import { Suspense, useEffect, useEffectEvent, useState } from 'react'
import { useNavigate } from 'react-router'
import { lazyDialog } from '../api/lazy-dialog'
import { useCompany } from '../auth/company'
import { liveControls } from '../live/controls'
import { liveStatus } from '../live/status'
import { IconButton } from '../ui/icon-button'
import { SearchIcon } from '../ui/icons'
import { editOf, shortcutOf, shortcutsFor, type Edit, type Shortcut } from './shortcuts'

const CommandPalette = lazyDialog(() => import('./command-palette'))
const ShortcutsDialog = lazyDialog(() => import('./shortcuts-dialog'))

type OpenDialog = 'palette' | 'help'

export function Keyboard() {
  const [open, setOpen] = useState<OpenDialog | null>(null)
  const [typed, setTyped] = useState('')
  const navigate = useNavigate()
  const { company } = useCompany()

  const close = () => {
    setOpen(null)
    setTyped('')
  }
  const run = (shortcut: Shortcut) => {
    if (shortcut.kind === 'go') void navigate(shortcut.to)
    else if (shortcut.kind === 'pause') togglePause()
    else if (open === shortcut.kind) close()
    else setOpen(shortcut.kind)
  }
  useKeyDown((event) => {
    const shortcut = shortcutOf(event, shortcutsFor(company))
    if (!shortcut) return
    event.preventDefault()
    // A key that is held is pressed once.
    if (event.repeat) return
    // Under another open dialog or menu nothing moves.
    if (open === null && isCovered()) return
    if (open === null || shortcut.kind === open) run(shortcut)
  })

  return (
    <>
      <span className="hidden sm:block">
        <IconButton label="Buscar (Ctrl+K)" onClick={() => setOpen('palette')}>
          <SearchIcon />
        </IconButton>
      </span>
      <Suspense fallback={<Waiting onType={setTyped} onLeave={close} />}>
        {open === 'palette' && <CommandPalette typed={typed} onClose={close} onHelp={() => setOpen('help')} />}
      </Suspense>
      <Suspense fallback={null}>{open === 'help' && <ShortcutsDialog onClose={close} />}</Suspense>
    </>
  )
}

/** In the command palette's place while its chunk arrives: nothing that is typed goes to what has the focus now. */
function Waiting({ onType, onLeave }: { onType: (edit: Edit) => void; onLeave: () => void }) {
  useKeyDown((event) => {
    const edit = editOf(event)
    if (edit) onType(edit)
    else if (event.key === 'Escape') onLeave()
    else if (event.key !== 'Enter') return
    event.preventDefault()
    event.stopPropagation()
  }, true)
  return null
}

function useKeyDown(handle: (event: KeyboardEvent) => void, capture = false): void {
  const onKeyDown = useEffectEvent(handle)
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKeyDown(event)
    document.addEventListener('keydown', listen, capture)
    return () => document.removeEventListener('keydown', listen, capture)
  }, [capture])
}

/** Open dialogs lock the page's scrolling; menus leave it free. */
function isCovered(): boolean {
  return document.body.hasAttribute('data-scroll-locked') || document.querySelector('[role=menu]') !== null
}

function togglePause(): void {
  if (liveStatus.get().paused) liveControls.get()?.resume()
  else liveControls.get()?.pause()
}
