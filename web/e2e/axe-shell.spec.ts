// Every menu, panel, banner and question of the shell, in both themes, without an accessibility violation. The walk goes
// offline, which the browser logs, so the page need not stay clean.
import { expect, test } from '@playwright/test'
import { settle, violations } from './axe'
import { walkShell } from './shell-walk'

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(`${colorScheme} theme`, () => {
    test.use({ colorScheme, contextOptions: { reducedMotion: 'reduce' } })
    test('nothing that the shell opens has a violation', async ({ page, browser }) => {
      test.setTimeout(300_000)
      await walkShell(page, browser, async (name) => {
        await settle(page)
        expect(await violations(page), name).toEqual([])
      })
    })
  })
}
