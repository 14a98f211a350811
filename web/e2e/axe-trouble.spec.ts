// What people see while something is missing, refused or broken, in both themes, without an accessibility violation.
import { expectNoViolation } from './axe'
import { plain } from './journey'
import { walkTrouble } from './trouble-walk'

plain.use({ contextOptions: { reducedMotion: 'reduce' } })

plain('nothing that goes wrong has a violation', async ({ page, browser }) => {
  plain.setTimeout(300_000)
  await walkTrouble(page, browser, (name, loading) => expectNoViolation(page, name, loading))
})
