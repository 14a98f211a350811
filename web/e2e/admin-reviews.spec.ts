// A payment for which the provider holds another amount: the platform admin is told live, and decides.
import { enterAdmin, unique } from './admin'
import { newCompanyOwner } from './arrival'
import { expect, test } from './journey'
import { choosePlan, expectActive, resultDialog, typeCard } from './payment'
import { newBrowserPage } from './people'
import { newPerson } from './person'
import { changeProviderAmount } from './review'
import { refuseOpenReviews } from './setup'

test('a payment of another amount appears on the open dashboard, is accepted with a reason and leaves it', async ({
  page,
  browser,
  request,
}) => {
  await refuseOpenReviews(request)
  const company = unique('Ponto em Análise')
  const theirs = await newBrowserPage(browser)
  await newCompanyOwner(theirs, newPerson(), company)
  const checkout = await choosePlan(theirs, 'Essencial')
  await typeCard(checkout, '4242424242424242')

  await enterAdmin(page)
  await expect(page.getByRole('heading', { name: 'Atividade recente' })).toBeVisible()
  await theirs.route('**/sandbox/v1/payment_intents/*/confirm', async (route) => {
    await changeProviderAmount(theirs, new URL(route.request().url()).pathname.split('/').at(-2) ?? '')
    await route.continue()
  })
  await checkout.getByRole('button', { name: /^Pagar/ }).click()

  const card = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Pagamentos em análise' }) })
  await card.getByRole('button', { name: 'Analisar' }).click({ timeout: 60_000 })
  const sheet = page.getByRole('dialog', { name: 'Pagamentos em análise' })
  const entry = sheet.getByRole('listitem').filter({ hasText: company })
  await expect(entry.getByText('R$ 49,90')).toBeVisible()
  await expect(entry.getByText('R$ 59,90')).toBeVisible()
  await entry.getByRole('button', { name: `Aceitar pagamento de ${company}` }).click()

  const question = page.getByRole('alertdialog', { name: 'Aceitar este pagamento?' })
  await expect(question.getByText(/R\$\s10,00 viram crédito/)).toBeVisible()
  const act = question.getByRole('button', { name: 'Aceitar pagamento' })
  await act.click()
  await expect(question.getByText('Este campo é obrigatório')).toBeVisible()
  await question.getByLabel('Motivo').fill('Conferido no extrato')
  await act.click()
  await expect(page.getByText('Pagamento aceito')).toBeVisible()
  await expect(sheet.getByText('Nenhum pagamento em análise')).toBeVisible()
  await sheet.getByRole('button', { name: 'Fechar' }).click()
  await expect(card).toHaveCount(0)

  await (await resultDialog(theirs, 'Pagamento Aprovado!')).getByRole('button', { name: 'Continuar' }).click()
  await expectActive(theirs, 'Essencial')
  await theirs.context().close()
})
