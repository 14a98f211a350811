// Every route, in both themes, without an accessibility violation. The source of axe-core is evaluated in the
// page, because a script tag would break our own policy.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from '@playwright/test'
import { enter, expect, test } from './journey'
import { newPerson } from './person'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  id: string
  nodes: { html: string; failureSummary: string }[]
}

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(source)
  const found = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run: (options: object) => Promise<{ violations: Violation[] }> } }
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
    return (await axe.run({ runOnly: tags })).violations
  })
  return found.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`))
}

async function settle(page: Page): Promise<void> {
  await page.locator('h1').waitFor()
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null)
  await page.evaluate(() => Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => undefined))))
}

const open = ['/', '/signin', '/forgot-password', '/signup', '/verify-email?email=maria@exemplo.com.br', '/reset-password?email=maria@exemplo.com.br', '/termos-legais', '/politica-privacidade', '/termos-lgpd']
const signedIn = ['/dashboard', '/company/create', '/company/manage', '/plans', '/subscriptions', '/payments']

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(`${colorScheme} theme`, () => {
    test.use({ colorScheme, contextOptions: { reducedMotion: 'reduce' } })

    test('the public pages have no violation', async ({ page }) => {
      for (const path of open) {
        await page.goto(path)
        await settle(page)
        expect(await violations(page), path).toEqual([])
      }
    })

    test('the pages of a company have no violation', async ({ page }) => {
      await enter(page, newPerson(), 'Ponto Central')
      for (const path of signedIn) {
        await page.goto(path)
        await settle(page)
        expect(await violations(page), path).toEqual([])
      }
    })

    test('no page is wider than a small phone', async ({ page }) => {
      await page.setViewportSize({ width: 320, height: 640 })
      await enter(page, newPerson(), 'Ponto Central')
      for (const path of [...open.slice(0, 1), ...open.slice(6), ...signedIn]) {
        await page.goto(path)
        await settle(page)
        expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(320)
      }
    })
  })
}
