// All rows of a list that is answered page by page, for a file of it.

const BATCH = 100

export async function allPages<Row>(
  read: (page: number, limit: number) => Promise<{ rows: readonly Row[]; total: number }>,
): Promise<Row[]> {
  const all: Row[] = []
  for (let page = 1; ; page += 1) {
    const { rows, total } = await read(page, BATCH)
    all.push(...rows)
    // A page that is not full is the last one, whatever the total says.
    if (rows.length < BATCH || all.length >= total) return all
  }
}
