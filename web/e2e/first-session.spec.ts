// The first session: from a price on the landing page to its payment, on a phone; and what the code of the mail is worth
// in another browser.
import { registerUnverified, newUserAt } from './arrival'
import { expect, test } from './journey'
import { Pace } from './pace'
import { expectActive, resultDialog } from './payment'
import { linkFor } from './people'
import { codeFor, newPerson } from './person'
import { goTo, onAPhone } from './sizes'

onAPhone(() => {
  test('a price on the landing page leads to a paid plan in six screens and ninety seconds', async ({ page }) => {
    const person = newPerson('João Pereira')
    await page.goto('/')
    await page.locator('#precos').getByText('Anual').click()
    const pace = new Pace()
    await pace.press(page.getByRole('link', { name: 'Começar: Profissional' }))
    await pace.screen(page.getByRole('heading', { name: 'Criar Conta' }))
    await pace.type(page.getByLabel('Nome Completo'), person.name)
    await pace.type(page.getByLabel('Email'), person.email)
    await pace.type(page.getByLabel('CPF'), person.cpf)
    await pace.type(page.getByLabel('Telefone'), '11987654321')
    await pace.type(page.getByLabel('Data de Nascimento'), '1990-05-17')
    await pace.type(page.getByLabel('Senha', { exact: true }), person.password)
    await pace.type(page.getByLabel('Confirmar Senha'), person.password)
    for (const consent of ['Termos Legais', 'Política de Privacidade', 'Termos LGPD'])
      await pace.press(page.getByRole('checkbox', { name: consent }))
    await pace.press(page.getByRole('button', { name: 'Criar Conta' }))
    await pace.screen(page.getByRole('heading', { name: 'Cadastro Realizado!' }))
    await pace.press(page.getByRole('link', { name: 'Verificar Email' }))
    await pace.screen(page.getByRole('heading', { name: 'Verificar Email' }))
    await pace.type(page.getByLabel('Código de verificação'), await codeFor(page.request, person.email))

    await pace.screen(page.getByRole('heading', { name: 'Criar Empresa', level: 1 }))
    await expect(page.getByText('Plano escolhido: Profissional')).toBeVisible()
    await expect(page.getByText(/^Anual, R\$/)).toBeVisible()
    await pace.type(page.getByLabel('Nome da Empresa'), 'Ponto Central')
    await pace.press(page.getByRole('button', { name: 'Criar Empresa' }))
    const preview = page.getByRole('dialog', { name: 'Preview da Mudança' })
    await pace.screen(preview.getByRole('heading', { name: 'Preview da Mudança' }))
    await expect(preview).toContainText('Profissional')
    await pace.press(preview.getByRole('button', { name: 'Confirmar Mudança' }))
    const checkout = page.getByRole('dialog', { name: 'Assinar Profissional' })
    await pace.screen(checkout.getByRole('heading', { name: 'Assinar Profissional' }))
    await expect(checkout).toContainText('Anual')
    expect(new URL(page.url()).search).toBe('?cycle=yearly')
    await pace.type(checkout.getByLabel('Número do cartão'), '4242424242424242')
    await pace.type(checkout.getByLabel('Validade'), '12/34')
    await pace.type(checkout.getByLabel('CVC'), '123')
    await pace.press(checkout.getByRole('button', { name: /^Pagar/ }))
    await resultDialog(page, 'Pagamento Aprovado!')

    const { screens, seconds, words } = pace.result()
    console.log(`Sign-up to a paid plan: ${words}`)
    expect(screens.length, words).toBeLessThanOrEqual(6)
    expect(seconds, words).toBeLessThanOrEqual(90)
    await page.getByRole('button', { name: 'Continuar' }).click()
    await expectActive(page, 'Profissional')
  })

  test('who has no company sees what every plan costs and gives', async ({ page }) => {
    await newUserAt(page, newPerson(), '/payments')
    await expect(page.getByText('Nenhuma empresa selecionada')).toBeVisible()
    await page.getByRole('link', { name: 'Voltar ao Dashboard' }).click()
    await page.waitForURL('/dashboard')
    expect(await page.evaluate(() => localStorage.getItem('bipe.companyId'))).toBeNull()
    await goTo(page, 'Planos')
    await expect(page.getByText('Nenhuma empresa selecionada')).toBeVisible()
    await expect(page.getByText('Selecione uma empresa para gerenciar planos')).toBeVisible()
    const card = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Profissional' }) })
    await expect(card).toContainText(/R\$.+\/mês/)
    await expect(card).toContainText(/Até \d+ usuários/)
    await card.getByRole('button', { name: 'Assinar: Profissional' }).click()
    await expect(page.getByRole('heading', { name: 'Criar Empresa', level: 1 })).toBeVisible()
    await expect(page.getByText('Plano escolhido: Profissional')).toBeVisible()
  })
})

test('in a browser that did not sign up, the code of the mail is typed without a mouse and opens nothing', async ({
  page,
}) => {
  const person = newPerson()
  await registerUnverified(page.request, person)
  const right = await codeFor(page.request, person.email)
  await page.goto(await linkFor(page.request, person.email, '/verify-email'))
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(person.email)
  const field = page.getByLabel('Código de verificação')
  await expect(field).toBeFocused()
  await page.keyboard.type('a')
  await expect(page.getByText('Código deve conter apenas números')).toBeVisible()
  await page.keyboard.type(right === '000000' ? '000001' : '000000')
  await expect(page.getByRole('main').getByText('Código de verificação inválido ou expirado')).toBeVisible()
  await expect(field).toBeFocused()
  await expect(field).toHaveValue('')
  await page.keyboard.type(right)
  await expect(page.getByRole('heading', { name: 'Email Verificado!' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Fazer login' })).toBeVisible()
  expect(await page.evaluate(() => localStorage.getItem('bipe.accessToken'))).toBeNull()
})
