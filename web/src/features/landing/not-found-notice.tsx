// A word for who came by an address that does not exist: the app sends them here with a mark in the address.
import { useEffect, useState, useSyncExternalStore } from 'react'
import { notFoundMark } from '../../lib/paths'

const SHOWN_MS = 5_000

const never = () => () => undefined
let lost: boolean | undefined

/** Whether the visit began at an unknown address; the mark is read once, because the address is cleaned. */
function isLost(): boolean {
  lost ??= new URLSearchParams(location.search).has(notFoundMark)
  return lost
}

export function NotFoundNotice() {
  const arrivedLost = useSyncExternalStore(never, isLost, () => false)
  const [seen, setSeen] = useState(false)
  useEffect(() => {
    if (!arrivedLost) return
    const address = new URL(location.href)
    address.searchParams.delete(notFoundMark)
    history.replaceState(history.state, '', address)
    const timer = setTimeout(() => setSeen(true), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [arrivedLost])
  return (
    <output className="fixed right-4 bottom-4 z-40">
      {arrivedLost && !seen && (
        <span className="block rounded-control border border-line bg-surface px-4 py-3 shadow-menu">
          Página não encontrada
        </span>
      )}
    </output>
  )
}
