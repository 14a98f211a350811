// The icons of both pages: the mark as SVG, and as pixels for browsers, previews and home screens that draw no SVG; and
// the picture of a shared link.
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('../', import.meta.url)
const fileAt = (address: string) => new URL(`public${address}`, root)

/** Width and height of a PNG, by its first chunk. */
function sizeOf(png: Buffer): number[] {
  expect(png.toString('latin1', 1, 4)).toBe('PNG')
  return [png.readUInt32BE(16), png.readUInt32BE(20)]
}

test.each(['index.html', 'landing.html'])('%s names an icon for each who shows one', (page) => {
  const html = readFileSync(new URL(page, root), 'utf8')
  const icons = [...html.matchAll(/<link rel="(?:apple-touch-)?icon" href="([^"]+)"/g)].map(([, file = '']) => file)
  expect(icons).toEqual(['/favicon.ico', '/favicon.svg', '/apple-touch-icon.png'])
  expect(icons.filter((icon) => !existsSync(fileAt(icon)))).toEqual([])
})

test.each(['index.html', 'landing.html'])('a shared link to a page of %s has a picture', (page) => {
  const html = readFileSync(new URL(page, root), 'utf8')
  const said = (name: string) => new RegExp(`<meta property="og:${name}" content="([^"]+)"`).exec(html)?.[1]
  expect(said('title')).toBe('Bipe · Nenhum pacote sem bipe.')
  expect(said('image')).toBe('__PUBLIC_URL__/share.png')
  const size = [said('image:width'), said('image:height')].map(Number)
  expect(sizeOf(readFileSync(fileAt('/share.png')))).toEqual(size)
  expect(html).toContain('<meta name="twitter:card" content="summary_large_image" />')
})

test('the icons of pixels have the sizes that are asked for', () => {
  expect(sizeOf(readFileSync(fileAt('/apple-touch-icon.png')))).toEqual([180, 180])
  // Behind the six bytes of its head and the sixteen of its one entry there is a PNG.
  expect(sizeOf(readFileSync(fileAt('/favicon.ico')).subarray(22))).toEqual([32, 32])
})
