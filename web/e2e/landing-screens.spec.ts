// The landing page's pictures, taken from the product with the data of a small company and written where the page takes
// them from. Not a check: it runs by `make screens` only. `web/test/pictures.test.ts` looks at what was written.
import { mkdirSync, writeFileSync } from 'node:fs'
import type { Locator, Page } from '@playwright/test'
import { fileName, FORMS, THEMES, type Form } from '../src/features/landing/scenes'
import { newCompanyOwnerAt, registerVerified } from './arrival'
import { settle } from './axe'
import { expect, test } from './journey'
import { payByPix } from './payment'
import { newBrowserPage } from './people'
import { newPerson } from './person'
import { addMember } from './setup'

test.skip(!process.env.BIPE_SCREENS, 'pictures are made by `make screens`')
test.describe.configure({ retries: 0 })

const folder = 'src/features/landing/pictures'
/** What is photographed, in the window's own pixels; the files have more. */
const WINDOWS = { desk: { width: 832, height: 520 }, phone: { width: 360, height: 480 } }
/** With the whole navigation beside the page, for the picture that is shown larger. */
const WIDE = { ...WINDOWS, desk: { width: 1024, height: 640 } }
const QUALITY = 0.8

test.use({ deviceScaleFactor: 2, contextOptions: { reducedMotion: 'reduce' } })

const team = [
  ['Cláudio Nunes', 'claudio', 'operator'],
  ['Sílvia Prado', 'silvia', 'finance'],
  ['Tainá Lopes', 'taina', 'operator'],
] as const

test('pictures of the product for the landing page', async ({ page, browser, request }) => {
  const maker = await newBrowserPage(browser)
  test.setTimeout(600_000)
  mkdirSync(folder, { recursive: true })
  for (const [name, mailbox] of team) await registerVerified(request, person(name, mailbox))
  await newCompanyOwnerAt(page, person('Renata Almeida', 'renata'), 'Ponto Central')
  for (const [, mailbox, role] of team) await addMember(page, `${mailbox}@exemplo.com.br`, role)
  await payByPix(page, 'Profissional')
  await page.getByRole('button', { name: 'Aprovar' }).click()
  await expect(page.getByRole('dialog', { name: 'Pagamento Aprovado!' })).toBeVisible()
  await take(page, maker, 'pagamento')
  await page.goto('/dashboard')
  await take(page, maker, 'painel', { windows: WIDE })
  await page.goto('/company/manage')
  await take(page, maker, 'equipe', { top: page.getByRole('heading', { name: 'Usuários', exact: true }) })
})

function person(name: string, mailbox: string) {
  return { ...newPerson(name), email: `${mailbox}@exemplo.com.br` }
}

interface Look {
  windows?: typeof WINDOWS
  /** What stands at the window's top, below the header. */
  top?: Locator
}

/** The page as it stands, in every form; another page makes the files. */
async function take(page: Page, maker: Page, scene: string, { windows = WINDOWS, top }: Look = {}): Promise<void> {
  for (const form of Object.keys(FORMS) as Form[]) {
    await page.setViewportSize(windows[form])
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme })
      await expect(page.locator('html')).toHaveAttribute('data-theme', theme)
      await settle(page)
      await top?.evaluate((heading) => heading.scrollIntoView())
      // What the steps before said would hide what the picture is of.
      await page.evaluate(() => document.querySelector('[data-sonner-toaster]')?.remove())
      const shot = await page.screenshot({ caret: 'hide' })
      writeFileSync(`${folder}/${fileName(scene, form, theme)}`, await webp(maker, shot, FORMS[form]))
    }
  }
}

/** By the browser's own encoder. */
async function webp(page: Page, png: Buffer, size: { width: number; height: number }): Promise<Buffer> {
  const made = await page.evaluate(
    async ({ address, width, height, quality }) => {
      const image = new Image()
      image.src = address
      await image.decode()
      const canvas = document.createElement('canvas')
      Object.assign(canvas, { width, height })
      const context = canvas.getContext('2d', { alpha: false })
      if (context === null) throw new Error('no canvas')
      context.imageSmoothingQuality = 'high'
      context.drawImage(image, 0, 0, width, height)
      return canvas.toDataURL('image/webp', quality)
    },
    { address: `data:image/png;base64,${png.toString('base64')}`, quality: QUALITY, ...size },
  )
  const [kind, data = ''] = made.split(',')
  expect(kind).toBe('data:image/webp;base64')
  return Buffer.from(data, 'base64')
}
