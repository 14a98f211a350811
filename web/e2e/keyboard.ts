// Reaching things without a pointer.
import type { Locator, Page } from '@playwright/test'

const MOST_STOPS = 80

/** Presses Tab until the element has the focus; fails when it cannot be reached. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  for (let stops = 0; stops < MOST_STOPS; stops += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`not reachable by Tab: ${String(target)}`)
}
