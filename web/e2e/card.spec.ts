// Cards: approved, declined, and confirmed with the bank, also on another device.
import type { Locator, Page } from '@playwright/test'
import { signInAt, newCompanyOwner } from './arrival'
import { expect, test } from './journey'
import { choosePlan, expectActive, payments, resultDialog, typeCard } from './payment'
import { newBrowserPage } from './people'
import { newPerson } from './person'
import { goTo } from './sizes'

const APPROVED = '4242424242424242'
const DECLINED = '4000000000000002'
const ASKS_THE_BANK = '4000002760003184'

/** A frame like the one in which Stripe shows the page of the bank takes the pointer, also above an open dialog. */
async function expectFrameOfTheBankOnTop(page: Page): Promise<void> {
  const isOnTop = await page.evaluate(() => {
    const frame = document.createElement('iframe')
    frame.name = '__privateStripeFrame8'
    Object.assign(frame.style, { position: 'fixed', inset: '0', zIndex: '2147483647' })
    const around = document.createElement('div')
    around.append(frame)
    document.body.prepend(around)
    const top = document.elementFromPoint(9, 9)
    around.remove()
    return top === frame
  })
  expect(isOnTop).toBe(true)
}

test('the payer refuses at the bank, tries again, reloads while it asks, and confirms on another device', async ({
  page,
  browser,
}) => {
  const person = newPerson()
  await newCompanyOwner(page, person, 'Ponto do Banco')
  const checkout = await choosePlan(page, 'Essencial')
  await expectFrameOfTheBankOnTop(page)
  await typeCard(checkout, ASKS_THE_BANK)
  await checkout.getByRole('button', { name: /^Pagar/ }).click()
  const bank = page.getByRole('dialog', { name: 'Autenticação do banco' })
  await bank.getByRole('button', { name: 'Recusar no banco' }).click()
  const refused = await resultDialog(page, 'Pagamento Recusado')
  await expect(refused.getByText('O banco não confirmou a autenticação.')).toBeVisible()
  await refused.getByRole('button', { name: 'Pagar com PIX' }).click()
  await expect(checkout.getByRole('radio', { name: /PIX/ })).toBeChecked()

  await checkout.getByRole('radio', { name: /Cartão de Crédito/ }).check()
  await typeCard(checkout, ASKS_THE_BANK)
  await checkout.getByRole('button', { name: /^Pagar/ }).click()
  await bank.waitFor()
  await page.reload()
  await page.getByRole('complementary', { name: 'Situação da assinatura' }).getByRole('button').click()
  const waiting = await resultDialog(page, 'Pagamento Pendente')
  await expect(waiting.getByRole('button', { name: 'Continuar autenticação' })).toBeEnabled()

  const phone = await newBrowserPage(browser, { viewport: { width: 360, height: 740 } })
  await signInAt(phone, person, '/dashboard')
  await phone.getByRole('complementary', { name: 'Situação da assinatura' }).getByRole('button').click()
  await (
    await resultDialog(phone, 'Pagamento Pendente')
  )
    .getByRole('button', { name: 'Continuar autenticação' })
    .click()
  await phone
    .getByRole('dialog', { name: 'Autenticação do banco' })
    .getByRole('button', { name: 'Confirmar no banco' })
    .click()
  await resultDialog(phone, 'Pagamento Aprovado!')
  await phone.context().close()

  const approved = await resultDialog(page, 'Pagamento Aprovado!')
  await approved.getByRole('button', { name: 'Continuar' }).click()
  await expectActive(page, 'Essencial')
})

/** The receipt without what is for the screen alone. */
async function expectPrintedAlone(page: Page, approved: Locator): Promise<void> {
  const onScreenOnly = [approved.getByRole('link', { name: /^Ver fatura/ }), approved.getByText('Detalhes técnicos')]
  for (const part of onScreenOnly) await expect(part).toBeVisible()
  await page.emulateMedia({ media: 'print' })
  await expect(approved.getByText('Forma de pagamento')).toBeVisible()
  for (const part of onScreenOnly) await expect(part).toBeHidden()
  await page.emulateMedia({ media: 'screen' })
}

test('a wrong card is not sent, a declined one is followed by another one, and only that one is charged', async ({
  page,
}) => {
  await newCompanyOwner(page, newPerson(), 'Ponto da Segunda Chance')
  const checkout = await choosePlan(page, 'Essencial')
  await expect(checkout.getByRole('button', { name: /^Pagar/ })).toBeDisabled()
  await typeCard(checkout, '4242424242424241')
  await checkout.getByLabel('CVC').blur()
  await expect(checkout.getByText('Número do cartão inválido')).toBeVisible()
  await expect(checkout.getByRole('button', { name: /^Pagar/ })).toBeDisabled()
  await typeCard(checkout, DECLINED)
  await checkout.getByRole('button', { name: /^Pagar/ }).click()
  const refused = await resultDialog(page, 'Pagamento Recusado')
  await expect(refused.getByText('Pagamento falhou. Tente novamente.')).toBeVisible()
  await refused.getByRole('button', { name: 'Fechar', exact: true }).last().click()
  const banner = page.getByRole('complementary', { name: 'Situação da assinatura' })
  await expect(banner).toContainText(/Pagamento do plano Essencial recusado: .+49,90 por Cartão de Crédito/)
  await goTo(page, 'Gerenciar Empresa')
  await expect(banner).toContainText(/recusado/)
  await banner.getByRole('button', { name: 'Pagar agora' }).click()
  // At a zoom of 400 % the dialog scrolls as a whole: its buttons leave the room to what it says.
  const before = page.viewportSize()
  await page.setViewportSize({ width: 320, height: 256 })
  await expect(refused.getByText('Pagamento falhou. Tente novamente.')).toBeInViewport({ ratio: 1 })
  await expect(refused.getByRole('button', { name: 'Tentar Novamente' })).not.toBeInViewport()
  await refused.getByRole('button', { name: 'Tentar Novamente' }).scrollIntoViewIfNeeded()
  await expect(refused.getByRole('button', { name: 'Tentar Novamente' })).toBeInViewport({ ratio: 1 })
  if (before) await page.setViewportSize(before)
  await refused.getByRole('button', { name: 'Tentar Novamente' }).click()
  const again = page.getByRole('dialog', { name: 'Assinar Essencial' })
  await typeCard(again, APPROVED)
  await expect(again.getByText('Visa', { exact: true })).toBeVisible()
  await again.getByRole('button', { name: /^Pagar/ }).click()
  const approved = await resultDialog(page, 'Pagamento Aprovado!')
  await expectPrintedAlone(page, approved)
  await approved.getByRole('button', { name: 'Continuar' }).click()
  await goTo(page, 'Planos')
  await expectActive(page, 'Essencial')
  expect(await payments(page)).toMatchObject([{ status: 'SUCCESS', amount: 4990 }, { status: 'FAILED' }])
  await page.goto('/payments?status=FAILED')
  await page.getByRole('link', { name: /^Detalhes/ }).click()
  const still = await resultDialog(page, 'Pagamento Recusado')
  await expect(still.getByText('O banco recusou o pagamento.')).toBeVisible()
  await expect(still.getByText('Pagamento falhou. Tente novamente.')).toBeHidden()
  await expect(still.getByRole('button', { name: 'Tentar Novamente' })).toBeHidden()
})
