// Reaching things without a pointer, and seeing on every stop where one is.
import { expect, type Locator, type Page } from '@playwright/test'
import { SOON } from './person'

const MOST_STOPS = 80

/** From now on a pressed pointer is an error on the page's console, which fails the journey. */
export async function withoutPointer(page: Page): Promise<void> {
  await page.addInitScript(() => {
    document.addEventListener('pointerdown', () => console.error('a pointer was used'), { capture: true })
  })
}

/**
 * Presses Tab until the element has the focus; fails when it cannot be reached, or when a stop on the way cannot be
 * seen.
 */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  // Found once: its role and name are looked for in the whole page, which would cost as much as all else of a stop.
  let element = await target.elementHandle()
  for (let stops = 0; stops < MOST_STOPS; stops += 1) {
    let stop = await stopOf(page, element)
    if (stop.isGone) {
      element = await target.elementHandle()
      stop = await stopOf(page, element)
    }
    if (stops > 0) expect(stop.unseen).toBeNull()
    if (stop.isTarget) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`not reachable by Tab: ${String(target)}`)
}

/** Tab to the element and Enter; afterwards the focus is somewhere. */
export async function enterOn(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target)
  await page.keyboard.press('Enter')
  await expect.poll(() => page.evaluate(() => document.activeElement !== document.body), SOON).toBe(true)
}

/** Tab to the field and type over what it holds. */
export async function typeInto(page: Page, field: Locator, text: string): Promise<void> {
  await tabTo(page, field)
  await page.keyboard.press('Control+a')
  await page.keyboard.type(text)
}

interface FocusStop {
  /** The element looked for has the focus. */
  isTarget: boolean
  /** The page has drawn that element anew. */
  isGone: boolean
  /** The markup of what has the focus, when nobody can see that it has: off the screen, or drawn like everything else. */
  unseen: string | null
}

function stopOf(page: Page, target: Awaited<ReturnType<Locator['elementHandle']>>): Promise<FocusStop> {
  return page.evaluate((target) => {
    const isOutlined = (part: Element) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(part)
      return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0
    }
    const isOnScreen = (part: Element) => {
      const { width, height, top, right, bottom, left } = part.getBoundingClientRect()
      return width > 1 && height > 1 && bottom > 0 && right > 0 && top < innerHeight && left < innerWidth
    }
    const isSeen = (element: Element) => {
      // The end of the page: the next Tab begins again at its start. The parts of a date are drawn by the browser.
      if (element === document.body || element.matches('input[type=date]')) return true
      // A control that is drawn by others is outlined on one of them: its label, the boxes of a code.
      const parent = element.parentElement
      const around = [element, ...(parent?.children ?? []), ...(parent?.parentElement?.children ?? [])]
      return (
        around.some((part) => isOutlined(part) && isOnScreen(part)) ||
        (getComputedStyle(element).boxShadow !== 'none' && isOnScreen(element))
      )
    }
    const element = document.activeElement
    return {
      isTarget: element === target,
      isGone: !target?.isConnected,
      unseen: element === null || isSeen(element) ? null : element.outerHTML,
    }
  }, target)
}
