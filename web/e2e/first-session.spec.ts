// The first session, on a phone: from a price on the landing page to its payment, and of who has no company yet.
import { newUserAt } from './arrival'
import { expect, test } from './journey'
import { Pace } from './pace'
import { expectActive, resultDialog } from './payment'
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

  test('who has no company yet is told of a wrong address until it is read, and sees what every plan costs and gives', async ({
    page,
  }) => {
    await newUserAt(page, newPerson(), '/nao/existe')
    await page.waitForURL('/')
    const notice = page.getByRole('main').getByRole('status').filter({ hasText: 'Página não encontrada' })
    await expect(notice).toBeVisible()
    await expect(notice.getByRole('link', { name: 'Ir para o Dashboard' })).toHaveAttribute('href', '/dashboard')
    await notice.getByRole('button', { name: 'Fechar' }).click()
    await expect(page.getByText('Página não encontrada')).toBeHidden()

    await page.goto('/payments')
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
