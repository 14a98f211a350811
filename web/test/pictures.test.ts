// The landing page's pictures: each is there in every theme and form, of the size that the page leaves room for, and
// light enough to be fetched on a phone.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fileName, FORMS, scenes, THEMES, type Form, type Theme } from '../src/features/landing/scenes'

/** What one file may weigh, and what all files of one theme and form may, in bytes. */
const MOST_BYTES = 60_000
const MOST_BYTES_LOADED = 150_000

const folder = new URL('../src/features/landing/pictures/', import.meta.url)
const forms = Object.keys(FORMS) as Form[]
const cases = forms.flatMap((form) => THEMES.map((theme): [Form, Theme] => [form, theme]))

/** Width and height of a WebP file, by its first chunk (RFC 9649). */
function sizeOf(file: Buffer): { width: number; height: number } {
  expect([file.toString('latin1', 0, 4), file.toString('latin1', 8, 12)]).toEqual(['RIFF', 'WEBP'])
  const chunk = file.toString('latin1', 12, 16)
  if (chunk === 'VP8 ') return { width: file.readUInt16LE(26) & 0x3fff, height: file.readUInt16LE(28) & 0x3fff }
  if (chunk === 'VP8X') return { width: file.readUIntLE(24, 3) + 1, height: file.readUIntLE(27, 3) + 1 }
  const bits = file.readUInt32LE(21)
  return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 }
}

test.each(cases)('every picture for a %s in the %s theme has the stated size and is light', (form, theme) => {
  const files = scenes.map(({ name }) => readFileSync(new URL(fileName(name, form, theme), folder)))
  for (const file of files) {
    expect(sizeOf(file)).toEqual(FORMS[form])
    expect(file.length).toBeLessThanOrEqual(MOST_BYTES)
  }
  expect(files.reduce((total, { length }) => total + length, 0)).toBeLessThanOrEqual(MOST_BYTES_LOADED)
})

test('the two themes are two pictures, and no file is left over', () => {
  const expected = scenes.flatMap(({ name }) => cases.map(([form, theme]) => fileName(name, form, theme)))
  expect(readdirSync(folder).toSorted()).toEqual(expected.toSorted())
  for (const { name } of scenes)
    for (const form of forms) {
      const [light, dark] = THEMES.map((theme) => readFileSync(new URL(fileName(name, form, theme), folder)))
      expect(light?.equals(dark ?? Buffer.alloc(0))).toBe(false)
    }
})
