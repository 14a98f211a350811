// What a link to the person's mail program has prepared for them.
import { type Locator } from '@playwright/test'

export async function draftOf(link: Locator): Promise<Record<string, string>> {
  const { protocol, pathname, searchParams } = new URL((await link.getAttribute('href')) ?? '')
  if (protocol !== 'mailto:') throw new Error(`no mail: ${protocol}`)
  return { to: pathname, ...Object.fromEntries(searchParams) }
}
