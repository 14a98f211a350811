// All rows of a list that is answered page by page, for a file of it.

const BATCH = 100
/** Ten years of a company that pays every day, and an end for whatever goes wrong. */
const MOST = 5_000

export async function allPages<Row>(
  read: (page: number, limit: number) => Promise<{ rows: readonly Row[]; total: number }>,
  most = MOST,
): Promise<Row[]> {
  const all: Row[] = []
  for (let page = 1; all.length < most; page += 1) {
    const { rows, total } = await read(page, BATCH)
    all.push(...rows)
    if (rows.length < BATCH || all.length >= total) break
  }
  return all
}
