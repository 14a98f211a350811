// Saves what the page holds as a file of the browser's downloads.

/** Safari asks the person first, and reads the file when it is answered. */
const READ_WITHIN_MS = 60_000

export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), READ_WITHIN_MS)
}

/** The byte order mark tells spreadsheets that this is UTF-8. */
export function saveCsv(name: string, text: string): void {
  saveFile(name, new Blob(['\uFEFF', text], { type: 'text/csv;charset=utf-8' }))
}
