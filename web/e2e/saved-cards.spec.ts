// Saved cards: one pays the next purchase, another one becomes the default, and one is removed. A downgrade and a
// cancellation are on the way of `billing-walk.ts`, what time brings in `ageing.spec.ts`.
import type { Page } from '@playwright/test'
import { newCompanyOwnerAt } from './arrival'
import { expect, test } from './journey'
import { expectActive, openPreview, resultDialog, typeCard } from './payment'
import { waitUntilLive } from './people'
import { newPerson } from './person'
import { subscribe } from './setup'
import { goTo } from './sizes'

test('a saved card pays the next purchase, another one becomes the default, and movements have a line while they are read again', async ({
  page,
}) => {
  await newCompanyOwnerAt(page, newPerson(), 'Ponto da Carteira', '/plans')
  const dialog = await openPreview(page, 'Assinar: Essencial')
  await dialog.getByRole('button', { name: 'Confirmar Mudança' }).click()
  const first = page.getByRole('dialog', { name: 'Assinar Essencial' })
  await typeCard(first, '4242424242424242')
  const terms = first.getByRole('region', { name: 'Resumo' })
  await expect(terms.getByText('Ponto da Carteira')).toBeVisible()
  await expect(terms.getByText(/^Sem cartão salvo, não há cobrança automática/)).toBeVisible()
  await first.getByRole('checkbox', { name: 'Salvar cartão' }).check()
  await expect(first.getByText(/^Autorizo a cobrança automática das renovações/)).toBeVisible()
  await expect(terms.getByText(/^Renova em \d\d\/\d\d\/\d{4}, por R\$\s49,90, no cartão salvo\./)).toBeVisible()
  await first.getByRole('button', { name: /^Pagar/ }).click()
  await (await resultDialog(page, 'Pagamento Aprovado!')).getByRole('button', { name: 'Continuar' }).click()
  const visa = page.getByRole('listitem').filter({ hasText: 'Visa final 4242' })
  const master = page.getByRole('listitem').filter({ hasText: 'Mastercard final 4444' })
  await expect(visa.getByText('Padrão')).toBeVisible()
  await expect(page.getByText(/^Renova em \d\d\/\d\d\/\d{4} no Visa 4242, R\$\s49,90$/)).toBeVisible()

  await page.getByRole('button', { name: 'Adicionar cartão' }).click()
  const add = page.getByRole('dialog', { name: 'Adicionar cartão' })
  await typeCard(add, '5555555555554444')
  await add.getByRole('button', { name: 'Salvar cartão' }).click()
  await master.getByRole('button', { name: /^Tornar padrão/ }).click()
  await expect(master.getByText('Padrão', { exact: true })).toBeVisible()
  await expect(visa.getByText('Padrão', { exact: true })).toBeHidden()
  await expect(page.getByText(/^Renova em .+ no Mastercard 4444, R\$\s49,90$/)).toBeVisible()
  await page.reload()
  await expect(master.getByText('Padrão', { exact: true })).toBeVisible()

  await (
    await openPreview(page, 'Fazer Upgrade: Profissional')
  )
    .getByRole('button', { name: 'Confirmar Mudança' })
    .click()
  const second = page.getByRole('dialog', { name: 'Pagamento Seguro' })
  await expect(second.getByRole('radio', { name: /Mastercard final 4444/ })).toBeChecked()
  await second.getByRole('button', { name: /^Pagar/ }).click()
  await (await resultDialog(page, 'Pagamento Aprovado!')).getByRole('button', { name: 'Continuar' }).click()
  await expectActive(page, 'Profissional')

  await visa.getByRole('button', { name: /^Remover/ }).click()
  await page.getByRole('alertdialog', { name: 'Remover cartão' }).getByRole('button', { name: 'Remover' }).click()
  await expect(visa).toBeHidden()
  await expect(master).toBeVisible()
  await expectLineOutside(page)
})

/** The line above movements that are read again begins outside of what is seen. */
async function expectLineOutside(page: Page): Promise<void> {
  await goTo(page, 'Assinaturas')
  await waitUntilLive(page)
  const movements = page.locator('section', { has: page.getByRole('heading', { name: 'Movimentações' }) })
  await expect(movements.getByText('Assinatura ativada')).toBeVisible()
  let release = () => {}
  const answered = new Promise<void>((resolve) => (release = resolve))
  await page.route(/\/history/, async (route) => {
    await answered
    await route.continue()
  })
  await subscribe(page, 'Negócio')
  const line = movements.locator('[aria-hidden="true"] > .animate-progress')
  const seen = await line.evaluate((bar) => {
    for (const animation of bar.getAnimations()) {
      animation.pause()
      animation.currentTime = 0
    }
    const frame = bar.parentElement?.getBoundingClientRect()
    return bar.getBoundingClientRect().right - (frame?.left ?? 0)
  })
  expect(seen).toBeLessThanOrEqual(-1)
  release()
  await expect(movements.getByText('Negócio').first()).toBeVisible()
  await expect(line).toHaveCount(0)
}
