// The contrast of the colour tokens, recomputed from tokens.css with the WCAG 2 formula. Text needs 4.5:1,
// borders of controls and charts 3:1.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const css = readFileSync(new URL('../src/tokens.css', import.meta.url), 'utf8')
const split = css.indexOf("[data-theme='dark']")

function tokensOf(text: string): Map<string, string> {
  return new Map(
    [...text.matchAll(/--color-([\w-]+):\s*(#[0-9A-Fa-f]{6})/g)].map(([, name, value]) => [name ?? '', value ?? '']),
  )
}

const light = tokensOf(css.slice(0, split))
const dark = new Map([...light, ...tokensOf(css.slice(split))])

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

const text: [foreground: string, background: string][] = [
  ...['bg', 'surface', 'sunken'].flatMap((ground): [string, string][] => [
    ['text', ground],
    ['muted', ground],
    ['primary', ground],
    ['danger', ground],
  ]),
  ['on-primary', 'primary'],
  ['on-primary', 'primary-hover'],
  ['on-soft', 'soft'],
  ['text', 'soft'],
  ['beam-text', 'surface'],
  ['on-danger', 'danger'],
  ['on-band', 'band'],
  ['band-muted', 'band'],
  ...['success', 'warning', 'danger', 'info', 'neutral'].map((tone): [string, string] => [tone, `${tone}-bg`]),
  ...['success', 'warning'].map((tone): [string, string] => [tone, 'surface']),
]

const marks: [foreground: string, background: string][] = [
  ['control', 'surface'],
  ['control', 'sunken'],
  ['focus', 'bg'],
  ['focus', 'surface'],
  ['focus', 'sunken'],
  ['band-beam', 'band'],
  ...[1, 2, 3, 4, 5].map((series): [string, string] => [`chart-${series}`, 'surface']),
]

describe.each([
  ['light', light],
  ['dark', dark],
])('%s theme', (_name, tokens) => {
  const value = (name: string): string => {
    const found = tokens.get(name)
    if (found === undefined) throw new Error(`tokens.css has no --color-${name}`)
    return found
  }

  it.each(text)('%s is readable on %s', (foreground, background) => {
    expect(contrast(value(foreground), value(background))).toBeGreaterThanOrEqual(4.5)
  })

  it.each(marks)('%s is visible on %s', (foreground, background) => {
    expect(contrast(value(foreground), value(background))).toBeGreaterThanOrEqual(3)
  })
})

it('the dark theme redefines every colour that depends on the ground', () => {
  const own = tokensOf(css.slice(split))
  const same = ['on-band', 'band-muted', 'band-beam', 'paper', 'ink', 'scrim']
  expect([...light.keys()].filter((name) => !own.has(name) && !same.includes(name))).toEqual([])
})

it('the dark theme is none of the paper', () => {
  expect(css.slice(0, split)).toMatch(/@media screen \{\s*$/)
})
