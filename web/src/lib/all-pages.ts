// All rows of a list that is answered page by page, for a file of it.

const BATCH = 100

/**
 * Each row once: a row that comes to the top of the list meanwhile moves the others, so that one stands on two pages.
 */
export async function allPages<Row extends { id: string }>(
  read: (page: number, limit: number) => Promise<{ rows: readonly Row[]; total: number }>,
): Promise<Row[]> {
  const all = new Map<string, Row>()
  for (let page = 1; ; page += 1) {
    const { rows, total } = await read(page, BATCH)
    for (const row of rows) all.set(row.id, row)
    // A page that is not full is the last one, whatever the total says.
    if (rows.length < BATCH || all.size >= total) return [...all.values()]
  }
}
