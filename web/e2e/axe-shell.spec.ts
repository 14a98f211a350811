// Every menu, panel, banner and question of the shell, in both themes, without an accessibility violation. The walk
// goes offline, which the browser logs, so the page need not stay clean.
import { expectNoViolation } from './axe'
import { plain } from './journey'
import { walkShell } from './shell-walk'

plain.use({ contextOptions: { reducedMotion: 'reduce' } })

plain('nothing that the shell opens has a violation', async ({ page, browser }) => {
  plain.setTimeout(300_000)
  await walkShell(page, browser, (name) => expectNoViolation(page, name))
})
