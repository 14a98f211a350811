// The title of a tab in the background: what was told there last, and how much, until somebody looks. Called with every
// toast of a hidden page; a title that the page itself has set meanwhile stays.

/** What a tab in the background has told in its title since somebody last looked. */
let untold: { title: string; told: string; count: number } | null = null

/** A tab in the background carries the latest news in its title, and how many there are, until somebody looks. */
export function showInTitle(text: string): void {
  const count = (untold?.count ?? 0) + 1
  if (untold === null) document.addEventListener('visibilitychange', restoreTitle)
  const title = untold?.told === document.title ? untold.title : document.title
  untold = { title, told: `(${count}) ${text}`, count }
  document.title = untold.told
}

function restoreTitle(): void {
  if (document.visibilityState === 'hidden') return
  document.removeEventListener('visibilitychange', restoreTitle)
  if (document.title === untold?.told) document.title = untold.title
  untold = null
}
