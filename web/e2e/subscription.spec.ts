// The life of a subscription on the screens: upgrade, renewal, what is not paid, and saved cards. A downgrade and a
// cancellation are on the way of `billing-walk.ts`, the days of grace in `subscription-state.spec.ts`.
import type { Locator, Page } from '@playwright/test'
import { newCompanyOwnerAt, newCompanyOwner } from './arrival'
import { expect, test } from './journey'
import { expectActive, payments, resultDialog, typeCard } from './payment'
import { waitUntilLive } from './people'
import { newPerson, type Person } from './person'
import { advanceDays, advanceToDaysAfter, companyOf, currentSubscription, subscribe } from './setup'
import { goTo } from './sizes'

const reais = (text: string | null) =>
  Math.round(
    Number(
      /[\d.]+,\d\d/
        .exec(text ?? '')?.[0]
        .replaceAll('.', '')
        .replace(',', '.'),
    ) * 100,
  )

/** The value beside a label of a receipt, in centavos. */
async function line(dialog: Locator, label: string): Promise<number> {
  return reais(
    await dialog
      .locator('div', { has: dialog.page().locator('dt', { hasText: label }) })
      .last()
      .locator('dd')
      .textContent(),
  )
}

async function preview(page: Page, button: string): Promise<Locator> {
  await page.getByRole('button', { name: button, exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Preview da Mudança' })
  await expect(dialog.getByText('Total hoje')).toBeVisible()
  return dialog
}

async function totalOf(dialog: Locator): Promise<number> {
  return reais(await dialog.locator('[aria-live=polite]').textContent())
}

async function payByPix(page: Page, total: number): Promise<void> {
  const checkout = page.getByRole('dialog', { name: 'Pagamento Seguro' })
  await checkout.getByRole('radio', { name: /PIX/ }).check()
  const pay = checkout.getByRole('button', { name: /^Pagar/ })
  expect(reais(await pay.textContent())).toBe(total)
  await pay.click()
  await approve(page)
}

async function approve(page: Page): Promise<void> {
  await (await resultDialog(page, 'Pagamento Pendente')).getByRole('button', { name: 'Aprovar' }).click()
  await (await resultDialog(page, 'Pagamento Aprovado!')).getByRole('button', { name: 'Continuar' }).click()
}

test('a subscription is upgraded in the middle of a period, renewed before its end, suspended, expired and brought back', async ({
  page,
}) => {
  const person = newPerson()
  await newCompanyOwner(page, person, 'Ponto do Upgrade')
  await subscribe(page, 'Essencial')
  const end = await endOf(page)
  await advanceDays(page, person, 10, '/plans')
  await expectActive(page, 'Essencial')
  await expect(page.getByRole('button', { name: 'Renovar' })).toBeHidden()
  await upgrade(page)
  expect(await endOf(page)).toBe(end)

  await renew(page, person, end)
  const next = await endOf(page)
  expect(Date.parse(next)).toBeGreaterThan(Date.parse(end))
  await payWhileSuspended(page, person, next)
  const last = await endOf(page)
  expect(Date.parse(last)).toBeGreaterThan(Date.parse(next))
  await comeBack(page, person, last)
})

async function endOf(page: Page): Promise<string> {
  return (await currentSubscription(page))?.nextBillingDate ?? ''
}

/** In the middle of a period it costs the difference of what is left. */
async function upgrade(page: Page): Promise<void> {
  const dialog = await preview(page, 'Fazer Upgrade: Profissional')
  const [charge, credit, total] = [
    await line(dialog, 'Cobrança proporcional'),
    await line(dialog, 'Crédito proporcional'),
    await totalOf(dialog),
  ]
  expect(charge).toBeLessThan(9990)
  expect(credit).toBeLessThan(4990)
  expect(total).toBe(charge - credit)
  await expect(dialog.getByText('Aplicada imediatamente')).toBeVisible()
  await dialog.getByRole('button', { name: 'Confirmar Mudança' }).click()

  const checkout = page.getByRole('dialog', { name: 'Pagamento Seguro' })
  await typeCard(checkout, '4242424242424242')
  const pay = checkout.getByRole('button', { name: /^Pagar/ })
  expect(reais(await pay.textContent())).toBe(total)
  await pay.click()
  await (await resultDialog(page, 'Pagamento Aprovado!')).getByRole('button', { name: 'Continuar' }).click()
  await expectActive(page, 'Profissional')
  expect((await payments(page))[0]).toMatchObject({ status: 'SUCCESS', amount: total })
  await goTo(page, 'Assinaturas')
  await expect(page.getByText('Upgrade de plano')).toBeVisible()
}

/** By PIX, from ten days before the end. */
async function renew(page: Page, person: Person, end: string): Promise<void> {
  await advanceToDaysAfter(page, person, end, -5, '/plans')
  await expect(page.getByText('Sua assinatura expira em 5 dias')).toBeVisible()
  await page.getByRole('main').getByRole('button', { name: 'Renovar', exact: true }).click()
  await payByPix(page, 9990)
  await expect(page.getByText('Sua assinatura expira em 5 dias')).toBeHidden()
  await expect(page.getByRole('button', { name: 'Renovar' })).toBeHidden()
}

/** From the page of its movements, which stays. */
async function payWhileSuspended(page: Page, person: Person, end: string): Promise<void> {
  const main = page.getByRole('main')
  await advanceToDaysAfter(page, person, end, 4, '/plans')
  await expect(main.getByText('Suspenso', { exact: true })).toBeVisible()
  await expect(main.getByRole('button', { name: 'Encerrar agora' })).toBeVisible()
  await goTo(page, 'Assinaturas')
  await main.getByRole('button', { name: 'Regularizar pagamento' }).click()
  await payByPix(page, 9990)
  expect(new URL(page.url()).pathname).toBe('/subscriptions')
  await expectActive(page, 'Profissional')
}

/** By the link of a mail, after it has expired. */
async function comeBack(page: Page, person: Person, end: string): Promise<void> {
  const main = page.getByRole('main')
  await advanceToDaysAfter(page, person, end, 16, '/plans')
  await expect(main.getByText('Expirado', { exact: true })).toBeVisible()
  await expect(main.getByText('Sua assinatura expirou')).toBeVisible()
  await expect(main.getByRole('button', { name: 'Assinar: Profissional' })).toBeEnabled()

  await page.goto(`/plans?companyId=${await companyOf(page)}&pay=renewal&method=PIX`)
  const checkout = page.getByRole('dialog', { name: 'Pagamento Seguro' })
  await expect(checkout.getByRole('radio', { name: /PIX/ })).toBeChecked()
  expect(new URL(page.url()).search).toBe('')
  await checkout.getByRole('button', { name: /^Pagar/ }).click()
  await approve(page)
  await expectActive(page, 'Profissional')
}

test('a saved card pays the next purchase, another one becomes the default, and movements have a line while they are read again', async ({
  page,
}) => {
  await newCompanyOwnerAt(page, newPerson(), 'Ponto da Carteira', '/plans')
  const dialog = await preview(page, 'Assinar: Essencial')
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

  await (await preview(page, 'Fazer Upgrade: Profissional')).getByRole('button', { name: 'Confirmar Mudança' }).click()
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
