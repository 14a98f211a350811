// Toasts lie above everything, and on nothing that can be pressed: not on the buttons of the checkout that a new company
// leads to. A toast above a dialog is closed without the dialog.
import type { Page } from '@playwright/test'
import { newUserAt } from './arrival'
import { expect, test } from './journey'
import { newPerson } from './person'

const TOAST_MS = 5_000
/** A desk, a tablet and a phone. */
const SIZES = [
  { width: 1280, height: 800 },
  { width: 768, height: 1024 },
  { width: 360, height: 740 },
]

/** Whatever can be pressed and has the toast above it, by its name. */
function covered(page: Page): Promise<(string | null)[]> {
  return page.evaluate(() => {
    const toast = document.querySelector('[data-sonner-toast]')?.getBoundingClientRect()
    if (!toast) return ['no toast']
    return [...document.querySelectorAll('a[href], button, input')]
      .filter((control) => !control.closest('[aria-hidden="true"], [data-sonner-toaster]') && control.checkVisibility())
      .filter((control) => {
        const { left, right, top, bottom, width } = control.getBoundingClientRect()
        return width > 1 && left < toast.right && right > toast.left && top < toast.bottom && bottom > toast.top
      })
      .map((control) => control.textContent || control.getAttribute('aria-label'))
  })
}

/** At every size, once the toast has its place there. */
async function expectNoneCovered(page: Page): Promise<void> {
  for (const size of SIZES) {
    await page.setViewportSize(size)
    await page.evaluate(async () => {
      for (let frames = 0; frames < 3; frames += 1) await new Promise(requestAnimationFrame)
    })
    await expect.poll(() => covered(page), `${size.width} px`).toEqual([])
  }
}

// For a finger every control is larger.
test.use({ hasTouch: true })

test('the toast of a new company covers nothing on the way to its payment', async ({ page }) => {
  // However slow the machine is, the toast is still there.
  await page.addInitScript((shown) => {
    const start = window.setTimeout.bind(window)
    const slow = (run: () => void, ms?: number) => start(run, ms === shown ? ms * 1_000 : ms)
    window.setTimeout = slow as typeof window.setTimeout
  }, TOAST_MS)
  await newUserAt(page, newPerson())
  const { plans } = (await (await page.request.get('/api/subscriptions/plans')).json()).data
  await page.goto(`/company/create?plan=${plans.find(({ isFree }: { isFree: boolean }) => !isFree).id}`)
  await page.getByLabel('Nome da Empresa').fill('Ponto Central')
  await page.getByRole('button', { name: 'Criar Empresa' }).click()
  const preview = page.getByRole('dialog', { name: 'Preview da Mudança' })
  await expect(preview.getByText('Total hoje')).toBeVisible()
  const toast = page.locator('[data-sonner-toast]')
  await expect(toast).toContainText('Empresa criada com sucesso!')
  await expectNoneCovered(page)
  await preview.getByRole('button', { name: 'Confirmar Mudança' }).click()
  const checkout = page.getByRole('dialog', { name: /^Assinar/ })
  await expect(checkout.getByText('Ambiente de testes')).toBeVisible()
  await expectNoneCovered(page)
  await page.getByRole('button', { name: 'Fechar notificação' }).click()
  await expect(toast).toHaveCount(0)
  await expect(checkout).toBeVisible()
})
