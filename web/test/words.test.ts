// One word for one thing on the screen. Some wordings are fixed and stay.
import { readdirSync, readFileSync } from 'node:fs'
import { parseSync, Visitor } from 'vite'
import { describe, expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)

interface Shown {
  file: string
  text: string
}

const filesBelow = (folder: string, wanted: RegExp) =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .filter((file) => wanted.test(file))
    .map((file) => `${folder}/${file}`)

/** Literals, parts of templates and texts between tags; comments are none. */
function textsOf(file: string): Shown[] {
  const found: Shown[] = []
  const add = (words: string) => {
    const text = words.replace(/\s+/g, ' ').trim()
    if (text) found.push({ file, text })
  }
  const visitor = new Visitor({
    Literal: ({ value }) => typeof value === 'string' && add(value),
    TemplateLiteral: ({ quasis }) => add(quasis.map(({ value }) => value.cooked).join('{}')),
    JSXText: ({ value }) => add(value),
  })
  visitor.visit(parseSync(file, readFileSync(new URL(file, root), 'utf8')).program)
  return found
}

/** The server's Portuguese: mails, activities and refusals. */
function literalsOf(file: string): Shown[] {
  const code = readFileSync(new URL(file, root), 'utf8')
    .split('\n')
    .filter((line) => !/^\s*\/\//.test(line))
    .join('\n')
    .replace(/\\\n\s*/g, '')
  return [...code.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text]) => ({ file, text: text ?? '' }))
}

const webFiles = filesBelow('web/src', /\.tsx?$/).filter((file) => !/\.test\.|schema\.d\.ts$/.test(file))
const serverFiles = filesBelow('core/src', /_pt_br[^/]*(\.rs$|\/.*\.rs$)/)
const shown = [...webFiles.flatMap(textsOf), ...serverFiles.flatMap(literalsOf)]

interface Rule {
  name: string
  wrong: RegExp
  /** Whole texts, and why they stay. */
  stays?: Record<string, string>
}

const rules: Rule[] = [
  { name: 'PIX, not Pix', wrong: /\bPix\b/ },
  { name: 'papel, not função or cargo', wrong: /\b(Função|Funções|Cargos?)\b|\b(sua|da|nova) (função|cargo)\b/ },
  {
    name: 'a payment is recusado',
    wrong: /\bfalh(a|as|ou|ado|ada|aram)\b/i,
    stays: {
      Falhou: 'fixed: the label of FAILED',
      'Pagamento falhou. Tente novamente.': 'fixed: the title of a failed payment',
      'Pagamento falhou.': 'the same, where nothing can be tried again',
      falhou: 'an act of the audit that broke down: nobody refused it',
    },
  },
  { name: 'what is to be paid vence', wrong: /\b(boletos?|cart(ão|ões))\b[^.:·]*\bexpir/i },
  { name: 'a subscription that time alone ends expira', wrong: /\bassinaturas?\b[^.:·]*\b(termin|caduc)/i },
  {
    name: 'codes, links, invitations and sessions expiram',
    wrong: /\b(códigos?|links?|convites?|sess(ão|ões)|PIX)\b((?!boleto|assinatura)[^.:·])*\bvenc/i,
  },
  { name: 'email, without a hyphen', wrong: /\be-mails?\b/i },
]

test('the texts are found', () => {
  expect(webFiles.length).toBeGreaterThan(200)
  expect(serverFiles.length).toBeGreaterThan(5)
  for (const text of ['Pagamento Recusado', 'Copiar código PIX', 'Sua assinatura expirou'])
    expect(shown.map((one) => one.text)).toContain(text)
})

describe.each(rules)('$name', ({ wrong, stays = {} }) => {
  const matching = shown.filter(({ text }) => wrong.test(text))
  test('everywhere', () => {
    expect(matching.filter(({ text }) => !Object.hasOwn(stays, text))).toEqual([])
  })
  test('and no exception outlives its text', () => {
    expect(Object.keys(stays).filter((text) => !matching.some((one) => one.text === text))).toEqual([])
  })
})
