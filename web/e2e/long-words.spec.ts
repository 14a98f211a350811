// Words without a place to break, in the names of a person, of companies and of plans: nothing stands outside of its
// card, its dialog or the screen. Where text is larger, words that have room in a line of their own stay whole.
import type { Locator, Page } from '@playwright/test'
import { enterAdmin } from './admin'
import { newCompanyOwner } from './arrival'
import { createCompany, expect, test } from './journey'
import { choosePlan, payPix, resultDialog } from './payment'
import { newPerson, SOON } from './person'
import { currentSubscription, openPix, settleIntent, subscribe, withPlan } from './setup'
import { PHONE } from './sizes'

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
async function lengthen(cards: Locator): Promise<void> {
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
}

/** The words of the values in the box that go on in another line. */
function brokenWords(box: Locator): Promise<string[]> {
  return box.locator('dd:not(details dd)').evaluateAll((values) => {
    const broken: string[] = []
    for (const value of values) {
      const texts = document.createTreeWalker(value, NodeFilter.SHOW_TEXT)
      while (texts.nextNode()) {
        const { currentNode } = texts
        for (const { 0: word, index } of (currentNode.nodeValue ?? '').matchAll(/\S+/g)) {
          const range = document.createRange()
          range.setStart(currentNode, index)
          range.setEnd(currentNode, index + word.length)
          if (new Set(Array.from(range.getClientRects(), ({ top }) => top)).size > 1) broken.push(word)
        }
      }
    }
    return broken
  })
}

/** At a desk and on a phone. */
async function expectInside(boxes: Locator, alter?: (boxes: Locator) => Promise<void>): Promise<void> {
  for (const width of [1440, 360]) {
    await boxes.page().setViewportSize({ width, height: 900 })
    await alter?.(boxes)
    expect(await spill(boxes), `${width} px`).toBeLessThanOrEqual(0)
  }
}

test('the long name of a person and of a company widens no card, no page, no list of commands and no menu', async ({
  page,
}) => {
  await newCompanyOwner(page, newPerson(WORD), WORD)
  await expectCardsHoldWords(page)

  await page.setViewportSize({ width: 320, height: 740 })
  await subscribe(page, 'Essencial')
  for (const path of ['/dashboard', '/subscriptions']) {
    await page.goto(path)
    await expect(page.getByRole('main').getByText(WORD).first()).toBeVisible()
    expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(320)
  }
  await createCompany(page, 'Ponto Curto')
  await expect(page.getByRole('main').getByText(WORD).first()).toBeVisible()
  await page.keyboard.press('Control+k')
  const command = page.getByRole('dialog').getByRole('button', { name: WORD })
  expect(await command.evaluate((button) => button.getBoundingClientRect().right)).toBeLessThanOrEqual(320)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /Menu de/ }).click()
  const menu = page.getByRole('menu')
  await expect(menu.getByText(WORD)).toBeVisible()
  expect(await menu.evaluate((box) => box.getBoundingClientRect().left)).toBeGreaterThanOrEqual(0)
  expect(await menu.evaluate((box) => box.getBoundingClientRect().right)).toBeLessThanOrEqual(320)

  await enterAdmin(page, '/admin/plans')
  const plans = page
    .getByRole('main')
    .locator('li')
    .filter({ has: page.getByRole('heading', { level: 2 }) })
  await expectInside(plans, lengthen)
})

/** Those of the checkout, of the plans and of the landing page. */
async function expectCardsHoldWords(page: Page): Promise<void> {
  const checkout = await choosePlan(page, 'Essencial')
  await expect(checkout.getByText(WORD).first()).toBeVisible()
  await expectInside(checkout)
  await page.goto('/plans')
  const offers = page
    .getByRole('main')
    .locator('li')
    .filter({ has: page.getByRole('heading', { level: 3 }) })
  await expectInside(offers, lengthen)
  await page.goto('/')
  const prices = page.locator('#precos li').filter({ has: page.getByRole('heading') })
  await expectInside(prices, lengthen)
}

test('the long name of a plan widens no page and no dialog of a phone', async ({ page }) => {
  await page.setViewportSize(PHONE)
  await newCompanyOwner(page, newPerson(), 'Ponto Curto')
  const displayName = `${WORD}${crypto.randomUUID().slice(0, 8)}`
  const expectPageInside = async () => {
    await expect(page.getByText(displayName).first()).toBeVisible()
    expect(await page.evaluate(() => document.documentElement.scrollWidth), page.url()).toBeLessThanOrEqual(PHONE.width)
  }
  await withPlan(page, { displayName, monthlyPrice: 60, quarterlyPrice: 150, yearlyPrice: 500 }, async () => {
    await page.goto('/plans')
    await page.getByRole('button', { name: `Assinar: ${displayName}` }).click()
    const preview = page.getByRole('dialog', { name: 'Preview da Mudança' })
    await expect(preview.getByText('Total hoje')).toBeVisible()
    expect(await spill(preview)).toBeLessThanOrEqual(0)

    const intent = await openPix(page, displayName)
    await page.goto('/plans')
    await expect(page.getByRole('complementary', { name: 'Situação da assinatura' })).toContainText(displayName)
    await expectPageInside()
    await page.getByRole('button', { name: 'Assinar: Essencial' }).click()
    const question = await resultDialog(page, 'Já existe um pagamento em aberto')
    await expect(question.getByText(displayName)).toBeVisible()
    expect(await spill(question)).toBeLessThanOrEqual(0)

    await settleIntent(page, intent)
    await expect.poll(async () => (await currentSubscription(page))?.status, SOON).toBe('active')
    for (const path of ['/payments', '/transactions', '/invoices', '/analytics']) {
      await page.goto(path)
      await expectPageInside()
    }
    await enterAdmin(page, '/admin/companies')
    await expect(page.getByRole('cell', { name: displayName })).toBeVisible()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
  })
})

test('what is bought stays readable on a phone whose text is twice as large', async ({ page }) => {
  await page.setViewportSize(PHONE)
  await newCompanyOwner(page, newPerson(), 'Ponto Curto')
  await page.goto('/plans')
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Page.setFontSizes', { fontSizes: { standard: 32 } })
  await page.getByRole('button', { name: 'Assinar: Negócio' }).click()
  const preview = page.getByRole('dialog', { name: 'Preview da Mudança' })
  await expect(preview.getByText('Total hoje')).toBeVisible()
  expect(await brokenWords(preview)).toEqual([])
  await preview.getByRole('button', { name: 'Confirmar Mudança' }).click()
  const checkout = page.getByRole('dialog', { name: 'Assinar Negócio' })
  await expect(checkout.getByText('Ambiente de testes')).toBeVisible()
  expect(await brokenWords(checkout.getByRole('region', { name: 'Resumo' }))).toEqual([])
  expect(await brokenWords(await payPix(page, checkout))).toEqual([])
})
