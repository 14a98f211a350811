// Opens the command palette: the button of the header, or Ctrl+K (Cmd+K) anywhere in the signed-in area.
import { lazy, Suspense, useEffect, useState } from 'react'
import { IconButton } from '../ui/icon-button'
import { SearchIcon } from '../ui/icons'

const CommandPalette = lazy(() => import('./command-palette').then((module) => ({ default: module.CommandPalette })))

export function CommandPaletteHost() {
  const [open, setOpen] = useState(false)
  const [wanted, setWanted] = useState(false)
  if (open && !wanted) setWanted(true)

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      setOpen((isOpen) => !isOpen)
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])

  return (
    <>
      <span className="hidden sm:block">
        <IconButton label="Buscar (Ctrl+K)" onClick={() => setOpen(true)}>
          <SearchIcon strokeWidth={1.75} aria-hidden="true" />
        </IconButton>
      </span>
      {wanted && (
        <Suspense fallback={null}>
          <CommandPalette open={open} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
