// The first stop of the keyboard on a page: past its header to what the page is about.
export function SkipLink() {
  return (
    <a
      href="#content"
      className="sr-only z-60 rounded-control bg-surface px-4 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
    >
      Pular para o conteúdo
    </a>
  )
}
