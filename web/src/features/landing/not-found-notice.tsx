// A word for who came by an address that does not exist: the app sends them here with a mark in the address. It stands
// above the page's first words, in room that is free anyway, until it is read.
import { useEffect, useState, useSyncExternalStore } from 'react'
import { notFoundMark, paths } from '../../lib/paths'

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
  }, [arrivedLost])
  /** The pressed button goes with the notice, so the heading takes the focus. */
  const close = () => {
    document.querySelector('h1')?.focus()
    setSeen(true)
  }
  return (
    <output className="absolute inset-x-0 top-17 block px-4 md:px-6 lg:px-8">
      {arrivedLost && !seen && (
        <span className="mx-auto flex max-w-[1136px] flex-wrap items-center gap-x-3 rounded-control bg-surface px-4 py-2 text-text">
          <strong>Página não encontrada</strong>
          <span className="text-muted max-sm:hidden">O endereço que você abriu não existe.</span>
          <a href={paths.dashboard} className="signed-in link">
            Ir para o Dashboard
          </a>
          <button type="button" className="link ml-auto" onClick={close}>
            Fechar
          </button>
        </span>
      )}
    </output>
  )
}
