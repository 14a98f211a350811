// The life of a subscription on the screens: upgrade, downgrade, cancellation, renewal, saved cards, and what is not
// paid.
import type { Locator, Page } from '@playwright/test'
import { newCompanyOwnerAt, newCompanyOwner } from './arrival'
import { expect, test } from './journey'
import { expectActive, payments, resultDialog, typeCard } from './payment'
import { waitUntilLive } from './people'
import { newPerson } from './person'
import { advanceDays, advanceToDaysAfter, companyOf, currentSubscription, subscribe } from './setup'
import { goTo } from './sizes'

test.describe.configure({ timeout: 180_000 })

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

test('an upgrade in the middle of a period costs the difference of what is left', async ({ page }) => {
  const person = newPerson()
  await newCompanyOwner(page, person, 'Ponto do Upgrade')
  await subscribe(page, 'Essencial')
  await advanceDays(page, person, 10, '/plans')
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
  const before = (await currentSubscription(page))?.nextBillingDate
  await dialog.getByRole('button', { name: 'Confirmar Mudança' }).click()

  const checkout = page.getByRole('dialog', { name: 'Pagamento Seguro' })
  await typeCard(checkout, '4242424242424242')
  const pay = checkout.getByRole('button', { name: /^Pagar/ })
  expect(reais(await pay.textContent())).toBe(total)
  await pay.click()
  await (await resultDialog(page, 'Pagamento Aprovado!')).getByRole('button', { name: 'Continuar' }).click()
  await expectActive(page, 'Profissional')
  expect((await payments(page))[0]).toMatchObject({ status: 'SUCCESS', amount: total })
  expect((await currentSubscription(page))?.nextBillingDate).toBe(before)
  await goTo(page, 'Assinaturas')
  await expect(page.getByText('Upgrade de plano')).toBeVisible()
})

test('a downgrade waits for the end of the period and can be undone', async ({ page }) => {
  await newCompanyOwner(page, newPerson(), 'Ponto do Downgrade')
  await subscribe(page, 'Profissional')
  await page.goto('/plans')
  const dialog = await preview(page, 'Fazer Downgrade: Essencial')
  await expect(dialog.getByText('Aplicada ao fim do período atual')).toBeVisible()
  expect(await totalOf(dialog)).toBe(0)
  await dialog.getByRole('button', { name: 'Confirmar Mudança' }).click()
  await expect(page.getByText(/^Mudança para Essencial agendada para \d\d\/\d\d\/\d{4}$/)).toBeVisible()
  await expect(page.getByText(/^Muda para Essencial em \d\d\/\d\d\/\d{4}$/)).toBeVisible()
  await expect(
    page.getByText('O plano Profissional vale até lá. Depois: até 10 usuários e 5.000 bipagens por mês.'),
  ).toBeVisible()
  await expectActive(page, 'Profissional')
  await page.reload()
  const target = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Essencial', level: 3 }) })
  await expect(target.getByText(/^A partir de \d\d\/\d\d\/\d{4}$/)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Desfazer', exact: true })).toBeVisible()
  await target.getByRole('button', { name: 'Desfazer mudança: Essencial' }).click()
  await expect(page.getByText('Mudança de plano desfeita')).toBeVisible()
  await expect(page.getByText(/^Muda para Essencial/)).toBeHidden()
  await page.reload()
  await expectActive(page, 'Profissional')
  await expect(page.getByText(/^Muda para Essencial/)).toBeHidden()
  expect(await payments(page)).toHaveLength(1)
})

test('a cancelled subscription keeps its access and can be taken back', async ({ page }) => {
  await newCompanyOwner(page, newPerson(), 'Ponto da Volta')
  await subscribe(page, 'Essencial')
  await page.goto('/plans')
  const opener = page.getByRole('button', { name: 'Cancelar Assinatura' })
  await opener.click()
  const question = page.getByRole('alertdialog', { name: 'Cancelar Assinatura' })
  await expect(question.getByRole('button', { name: 'Manter Assinatura' })).toBeFocused()
  await expect(
    question.getByText(/^Você mantém o acesso até \d\d\/\d\d\/\d{4}\. Não haverá novas cobranças\.$/),
  ).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(question).toBeHidden()
  await expect(opener).toBeFocused()

  await opener.click()
  await question.getByRole('button', { name: 'Mudei de serviço' }).click()
  await expect(question.getByLabel('Motivo')).toHaveValue('Mudei de serviço')
  await question.getByRole('button', { name: 'Cancelar Assinatura' }).click()
  const card = page.getByRole('main')
  await expect(card.getByText('Cancelado', { exact: true })).toBeVisible()
  await expect(card.getByText('Motivo: Mudei de serviço')).toBeVisible()
  await expect(card.getByText(/^Acesso até \d\d\/\d\d\/\d{4}$/)).toBeVisible()
  await expect(page.getByText('Assinatura cancelada')).toBeVisible()
  const heading = card.getByRole('heading', { name: 'Essencial', level: 2 })
  await expect(heading).toBeFocused()
  await card.getByRole('button', { name: 'Reativar' }).click()
  await expectActive(page, 'Essencial')
  await expect(heading).toBeFocused()
  await expect(page.getByText('Assinatura reativada')).toBeVisible()
  await expect(page.getByText('Assinatura cancelada')).toBeHidden()
  expect(await payments(page)).toHaveLength(1)
})

test('the next period is bought by PIX from ten days before the end', async ({ page }) => {
  const person = newPerson()
  await newCompanyOwner(page, person, 'Ponto da Renovação')
  await subscribe(page, 'Essencial')
  await page.goto('/plans')
  await expectActive(page, 'Essencial')
  await expect(page.getByRole('button', { name: 'Renovar' })).toBeHidden()
  const end = (await currentSubscription(page))?.nextBillingDate ?? ''
  await advanceToDaysAfter(page, person, end, -5, '/plans')
  await expect(page.getByText('Sua assinatura expira em 5 dias')).toBeVisible()
  await page.getByRole('main').getByRole('button', { name: 'Renovar', exact: true }).click()
  await payByPix(page, 4990)
  await expect(page.getByText('Sua assinatura expira em 5 dias')).toBeHidden()
  await expect(page.getByRole('button', { name: 'Renovar' })).toBeHidden()
  expect(Date.parse((await currentSubscription(page))?.nextBillingDate ?? '')).toBeGreaterThan(Date.parse(end))
})

test('a saved card pays the next purchase, and another one becomes the default', async ({ page }) => {
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
})

test('what is not paid becomes due, suspended and expired, and a payment brings it back', async ({ page }) => {
  const person = newPerson()
  await newCompanyOwner(page, person, 'Ponto do Atraso')
  await subscribe(page, 'Essencial')
  const end = (await currentSubscription(page))?.nextBillingDate ?? ''
  const main = page.getByRole('main')

  await advanceToDaysAfter(page, person, end, 1, '/plans')
  await expect(main.getByText('Ativo', { exact: true })).toBeVisible()
  await expect(main.getByText('Sua assinatura expirou')).toBeVisible()
  await expect(
    main.getByText(/^Vencida: pague até \d\d\/\d\d\/\d{4} às \d\d:\d\d para não ser suspensa$/),
  ).toBeVisible()
  await expect(main.getByRole('button', { name: 'Regularizar pagamento' })).toBeVisible()

  await advanceToDaysAfter(page, person, end, 4, '/plans')
  await expect(main.getByText('Suspenso', { exact: true })).toBeVisible()
  await expect(main.getByRole('button', { name: 'Encerrar agora' })).toBeVisible()
  await goTo(page, 'Assinaturas')
  await main.getByRole('button', { name: 'Regularizar pagamento' }).click()
  await payByPix(page, 4990)
  expect(new URL(page.url()).pathname).toBe('/subscriptions')
  await expectActive(page, 'Essencial')

  const next = (await currentSubscription(page))?.nextBillingDate ?? ''
  expect(Date.parse(next)).toBeGreaterThan(Date.parse(end))
  await advanceToDaysAfter(page, person, next, 16, '/plans')
  await expect(main.getByText('Expirado', { exact: true })).toBeVisible()
  await expect(main.getByText('Sua assinatura expirou')).toBeVisible()
  await expect(main.getByRole('button', { name: 'Assinar: Essencial' })).toBeEnabled()

  await page.goto(`/plans?companyId=${await companyOf(page)}&pay=renewal&method=PIX`)
  const checkout = page.getByRole('dialog', { name: 'Pagamento Seguro' })
  await expect(checkout.getByRole('radio', { name: /PIX/ })).toBeChecked()
  expect(new URL(page.url()).search).toBe('')
  await checkout.getByRole('button', { name: /^Pagar/ }).click()
  await approve(page)
  await expectActive(page, 'Essencial')
})

test('the line above movements that are read again begins outside of what is seen', async ({ page }) => {
  await newCompanyOwner(page, newPerson(), 'Ponto da Linha')
  await subscribe(page, 'Essencial')
  await page.goto('/subscriptions')
  await waitUntilLive(page)
  await expect(page.getByText('Assinatura ativada')).toBeVisible()
  let release = () => {}
  const answered = new Promise<void>((resolve) => (release = resolve))
  await page.route(/\/history/, async (route) => {
    await answered
    await route.continue()
  })
  await subscribe(page, 'Profissional')
  const movements = page.locator('section', { has: page.getByRole('heading', { name: 'Movimentações' }) })
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
  await expect(movements.getByText('Profissional').first()).toBeVisible()
  await expect(line).toHaveCount(0)
})
