// Rows of a list that is read page by page, newest first.

/** What came since a page was read moves the next one, which then begins with rows of the one before. */
export function eachOnce<Row extends { id: string }>(rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()]
}
