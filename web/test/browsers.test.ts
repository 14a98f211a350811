// The oldest browsers that the app runs in are Safari 16.4, Chrome 111 and Firefox 128, which the style sheet needs.
// `tsconfig.json` keeps out what is younger in the language itself, this test what is younger in the browsers.
import { readdirSync, readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'

const root = new URL('../', import.meta.url)
const textOf = (file: string) => readFileSync(new URL(file, root), 'utf8')
const sources = readdirSync(new URL('src/', root), { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\.|schema\.d\.ts$/.test(file))
  .map((file) => `src/${file}`)

/** Where a call stands behind `?.`, the app does without it. */
const younger =
  /AbortSignal\.any\(|URL\.(canParse|parse)\(|\.(checkVisibility|showPopover|togglePopover|startViewTransition|moveBefore)\(|\brequestIdleCallback\(/

test('no call needs a younger browser', () => {
  expect(sources.filter((file) => younger.test(textOf(file)))).toEqual([])
})

test('no page asks for the screen beside a notch: no style keeps anything out of it', () => {
  for (const page of ['index.html', 'landing.html']) expect(textOf(page)).not.toContain('viewport-fit=cover')
})

test('no browser translates the app: React would stop where its words were exchanged', () => {
  expect(textOf('index.html')).toContain('<html lang="pt-BR" translate="no">')
  expect(textOf('index.html')).toContain('<meta name="google" content="notranslate" />')
})

/** Whether the app's page says that a browser with these globals is too old. */
function saysTooOld(window: object): boolean {
  const [, id] = /<p id="([^"]+)" hidden>\s+Este navegador é antigo demais/.exec(textOf('index.html')) ?? []
  const notice = { hidden: true }
  let parsed = () => {}
  const document = {
    documentElement: { dataset: {} },
    addEventListener: (_: string, listener: () => void) => (parsed = listener),
    getElementById: (wanted: string) => (wanted === id ? notice : null),
  }
  const localStorage = { getItem: () => null }
  const matchMedia = () => ({ matches: false })
  runInNewContext(textOf('public/theme.js'), { document, localStorage, matchMedia, window })
  parsed()
  return !notice.hidden
}

test('a browser that cannot run the app is told so, instead of loading for ever', () => {
  const colours = (mixed: boolean) => ({ supports: () => mixed })
  expect(saysTooOld({ CSSPropertyRule: {}, CSS: colours(true) })).toBe(false)
  expect(saysTooOld({ CSSPropertyRule: {}, CSS: colours(false) })).toBe(true)
  expect(saysTooOld({ CSS: colours(true) })).toBe(true)
})
