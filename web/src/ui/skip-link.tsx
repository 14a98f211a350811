// The first stop of the keyboard on a page: past its header to what the page is about. The address stays as it is:
// behind its # there may be the secret of a mailed link.
import type { MouseEvent } from 'react'

export function SkipLink() {
  const skip = (event: MouseEvent) => {
    const content = document.getElementById('content')
    if (!content) return
    event.preventDefault()
    content.focus()
  }
  return (
    <a
      href="#content"
      onClick={skip}
      className="sr-only z-60 rounded-control bg-surface px-4 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
    >
      Pular para o conteúdo
    </a>
  )
}
