// Where a subscription stands is said in one sentence, the same on every page, and paid from wherever it is read.
import type { Locator, Page } from '@playwright/test'
import { signInAt, newCompanyOwner, registerVerified } from './arrival'
import { expect, test } from './journey'
import { resultDialog } from './payment'
import { newBrowserPage } from './people'
import { newPerson } from './person'
import { addMember, advanceToDaysAfter, currentSubscription, subscribe } from './setup'
import { goTo, PHONE } from './sizes'

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
