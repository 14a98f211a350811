// A subscription as time goes by: upgraded, renewed, due, suspended, expired; said in one sentence, the same on every
// page, and paid from wherever it is read. Other journeys follow these two: what falls due in the days that pass is
// done for every company that there is by then.
import type { Locator, Page } from '@playwright/test'
import { signInAt, newCompanyOwner, registerVerified } from './arrival'
import { expect, test } from './journey'
import { expectActive, openPreview, payments, resultDialog, typeCard } from './payment'
import { newBrowserPage } from './people'
import { newPerson, type Person } from './person'
import { addMember, advanceDays, advanceToDaysAfter, companyOf, currentSubscription, subscribe } from './setup'
import { goTo, PHONE } from './sizes'

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
  test.setTimeout(360_000)
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
  const dialog = await openPreview(page, 'Fazer Upgrade: Profissional')
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

const bannerOf = (page: Page): Locator => page.getByRole('complementary', { name: 'Situação da assinatura' })

test('a subscription in its days of grace says so on every page and is paid from there', async ({ page, browser }) => {
  const person = newPerson()
  await newCompanyOwner(page, person, 'Ponto da Carência')
  const operator = newPerson('Olavo Operador')
  await registerVerified(page.request, operator)
  await subscribe(page, 'Essencial')
  await addMember(page, operator.email, 'operator')
  await page.goto('/dashboard')
  await expect(page.getByRole('main').getByText(/^Vence em .+; sem cartão salvo, avisaremos por email$/)).toBeVisible()
  await expect(bannerOf(page)).toBeHidden()

  await advanceToDaysAfter(page, person, (await currentSubscription(page))?.nextBillingDate ?? '', 1)
  const sentence = /Vencida: pague até \d\d\/\d\d\/\d{4} às \d\d:\d\d para não ser suspensa/
  const owes = async () => {
    await expect(bannerOf(page)).toContainText(sentence)
    await expect(bannerOf(page)).toContainText('49,90')
  }
  await owes()
  await expect(page.getByRole('main').getByText(sentence)).toBeVisible()
  await expect(page.getByRole('main').getByRole('button', { name: /^Pagar agora/ })).toContainText('49,90')
  for (const name of ['Planos', 'Pagamentos', 'Gerenciar Empresa']) {
    await goTo(page, name)
    await owes()
    if (name === 'Planos') await expectDue(page.getByRole('main'))
  }

  const theirs = await newBrowserPage(browser, { viewport: PHONE })
  await signInAt(theirs, operator, '/company/create')
  // The page is shorter than the screen.
  const isAtFoot = () => bannerOf(theirs).evaluate((box) => box.getBoundingClientRect().bottom === innerHeight)
  await expect.poll(isAtFoot).toBe(true)
  // With the keyboard over the page, the form has what is left of the screen.
  await theirs.setViewportSize({ ...PHONE, height: 380 })
  const isBelow = () => bannerOf(theirs).evaluate((box) => box.getBoundingClientRect().top >= innerHeight)
  await expect.poll(isBelow).toBe(true)
  await theirs.setViewportSize(PHONE)
  await expect(bannerOf(theirs)).toContainText(sentence)
  await expect(bannerOf(theirs)).toContainText('Fale com um administrador da empresa')
  await expect(bannerOf(theirs).getByRole('button')).toHaveCount(0)
  await expect(bannerOf(theirs).getByRole('link')).toHaveCount(0)

  const payNow = bannerOf(page).getByRole('button', { name: 'Pagar agora' })
  expect((await payNow.boundingBox())?.height).toBeGreaterThanOrEqual(24)
  await payNow.click()
  const checkout = page.getByRole('dialog', { name: 'Pagamento Seguro' })
  await checkout.getByRole('radio', { name: /PIX/ }).check()
  await expect(checkout.getByRole('button', { name: /^Pagar/ })).toContainText('49,90')
  await checkout.getByRole('button', { name: /^Pagar/ }).click()
  const pending = await resultDialog(page, 'Pagamento Pendente')
  await pending.getByRole('button', { name: 'Fechar', exact: true }).last().click()
  await expect(bannerOf(page)).toContainText(/Pagamento do plano Essencial em aberto: .+49,90 por PIX, até/)
  await bannerOf(page).getByRole('button', { name: 'Pagar agora' }).click()
  await (await resultDialog(page, 'Pagamento Pendente')).getByRole('button', { name: 'Aprovar' }).click()
  await (await resultDialog(page, 'Pagamento Aprovado!')).getByRole('button', { name: 'Continuar' }).click()
  await expect(bannerOf(page)).toBeHidden()
  expect(new URL(page.url()).pathname).toBe('/company/manage')
  await expect(bannerOf(theirs)).toBeHidden()
  await theirs.context().close()
})

/** What the page of the plans says then. */
async function expectDue(plans: Locator): Promise<void> {
  await expect(plans.getByText('Ativo', { exact: true })).toBeVisible()
  await expect(plans.getByText('Sua assinatura expirou')).toBeVisible()
  await expect(
    plans.getByText(/^Vencida: pague até \d\d\/\d\d\/\d{4} às \d\d:\d\d para não ser suspensa$/),
  ).toBeVisible()
  await expect(plans.getByRole('button', { name: 'Regularizar pagamento' })).toBeVisible()
}
