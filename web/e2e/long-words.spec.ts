// Words without a place to break, in the names of a company and of plans: nothing stands outside of its card, its dialog
// or the screen.
import type { Locator } from '@playwright/test'
import { enterAdmin } from './admin'
import { prepare } from './arrival'
import { expect, test } from './journey'
import { choosePlan } from './payment'
import { newPerson } from './person'

const WORD = 'Pontodecoletasemespaco'.repeat(4).slice(0, 78)

/** How far what is in the boxes, letters included, reaches out of them; in pixels. */
async function spill(boxes: Locator): Promise<number> {
  await boxes.first().waitFor()
  return boxes.evaluateAll((all) =>
    Math.max(
      ...all.map((box) => {
        const range = document.createRange()
        range.selectNodeContents(box)
        return range.getBoundingClientRect().right - Math.min(box.getBoundingClientRect().right, innerWidth)
      }),
    ),
  )
}

/** What a person has written into a plan becomes one long word: its name, its description, what is in it. */
async function lengthen(cards: Locator): Promise<Locator> {
  await cards.first().waitFor()
  await cards.evaluateAll((all, word) => {
    for (const card of all) {
      const texts = document.createTreeWalker(card, NodeFilter.SHOW_TEXT)
      while (texts.nextNode()) {
        const { currentNode } = texts
        if (currentNode.parentElement?.closest('h2, h3, header p:not(:has(span)), p.tear, ul ul li'))
          currentNode.nodeValue = word
      }
    }
  }, WORD)
  return cards
}

for (const width of [360, 1440]) {
  test(`long words stay where they belong at ${width} px`, async ({ page }) => {
    await page.setViewportSize({ width, height: 900 })
    await prepare(page, newPerson(), WORD)
    const checkout = await choosePlan(page, 'Essencial')
    await expect(checkout.getByText(WORD)).toBeVisible()
    expect(await spill(checkout)).toBeLessThanOrEqual(0)

    await page.goto('/plans')
    const offers = page
      .getByRole('main')
      .locator('li')
      .filter({ has: page.getByRole('heading', { level: 3 }) })
    expect(await spill(await lengthen(offers))).toBeLessThanOrEqual(0)
    await page.goto('/')
    const prices = page.locator('#precos li').filter({ has: page.getByRole('heading') })
    expect(await spill(await lengthen(prices))).toBeLessThanOrEqual(0)
    await enterAdmin(page, '/admin/plans')
    const plans = page
      .getByRole('main')
      .locator('li')
      .filter({ has: page.getByRole('heading', { level: 2 }) })
    expect(await spill(await lengthen(plans))).toBeLessThanOrEqual(0)
  })
}
