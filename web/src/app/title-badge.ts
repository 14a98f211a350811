// The title of a hidden tab: the number of unseen toasts and the text of the latest one, until the tab is shown. A
// title that the page itself set meanwhile stays.

let unseen: { title: string; shown: string; count: number } | null = null

/** Called with the text of every toast of a hidden page. */
export function showInTitle(text: string): void {
  const count = (unseen?.count ?? 0) + 1
  if (unseen === null) document.addEventListener('visibilitychange', restoreTitle)
  const title = unseen?.shown === document.title ? unseen.title : document.title
  unseen = { title, shown: `(${count}) ${text}`, count }
  document.title = unseen.shown
}

function restoreTitle(): void {
  if (document.visibilityState === 'hidden') return
  document.removeEventListener('visibilitychange', restoreTitle)
  if (document.title === unseen?.shown) document.title = unseen.title
  unseen = null
}
