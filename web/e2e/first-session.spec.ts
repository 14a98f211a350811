// The first session: from a price on the landing page to its payment, and what the code of the mail is worth in which
// browser; at a desk and on a phone.
import { enrol, join } from './arrival'
import { expect, fillSignUp, signUp, test, verify } from './journey'
import { elsewhere, linkFor } from './people'
import { codeFor, newPerson } from './person'
import { atBothSizes } from './sizes'

atBothSizes(() => {
  test('the plan chosen on the landing page is kept up to its payment', async ({ page }) => {
    const person = newPerson('João Pereira')
    await page.goto('/')
    await page.locator('#precos').getByText('Anual').click()
    await page.getByRole('link', { name: 'Começar: Profissional' }).click()
    await page.getByLabel('Email').fill(person.email)
    await fillSignUp(page, person)
    await verify(page, person)
    await page.waitForURL(/\/company\/create/)
    await expect(page.getByText('Plano escolhido: Profissional')).toBeVisible()
    await expect(page.getByText(/^Anual, R\$/)).toBeVisible()
    await page.getByLabel('Nome da Empresa').fill('Ponto Central')
    await page.getByRole('button', { name: 'Criar Empresa' }).click()
    const preview = page.getByRole('dialog', { name: 'Preview da Mudança' })
    await expect(preview).toContainText('Profissional')
    await preview.getByRole('button', { name: 'Confirmar Mudança' }).click()
    await expect(page.getByRole('dialog', { name: 'Assinar Profissional' })).toContainText('Anual')
    expect(new URL(page.url()).search).toBe('?cycle=yearly')
  })

  test('who has no company sees what every plan costs and gives', async ({ page }) => {
    await join(page, newPerson())
    await page.goto('/plans')
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

test('the button of the mail leads to the code, which signs in where the sign-up was made', async ({ page }) => {
  const person = newPerson()
  await signUp(page, person)
  const byMail = await page.context().newPage()
  await byMail.goto(await linkFor(page.request, person.email, '/verify-email'))
  await expect(byMail.getByLabel('Email', { exact: true })).toHaveValue(person.email)
  await byMail.getByLabel('Código de verificação').pressSequentially(await codeFor(page.request, person.email))
  await byMail.waitForURL('/dashboard')
})

test('in another browser the code alone opens nothing', async ({ page, browser }) => {
  const person = newPerson()
  await signUp(page, person)
  const other = await elsewhere(browser)
  await other.goto(await linkFor(page.request, person.email, '/verify-email'))
  await other.getByLabel('Código de verificação').pressSequentially(await codeFor(page.request, person.email))
  await expect(other.getByRole('link', { name: 'Fazer login' })).toBeVisible()
  expect(await other.evaluate(() => localStorage.getItem('bipe.accessToken'))).toBeNull()
})

test('a code is typed without a mouse: letters are told, and every six digits are sent', async ({ page }) => {
  const person = newPerson()
  await enrol(page.request, person)
  const right = await codeFor(page.request, person.email)
  await page.goto(`/verify-email?email=${encodeURIComponent(person.email)}`)
  const field = page.getByLabel('Código de verificação')
  await expect(field).toBeFocused()
  await page.keyboard.type('a')
  await expect(page.getByText('Código deve conter apenas números')).toBeVisible()
  await page.keyboard.type(right === '000000' ? '000001' : '000000')
  await expect(page.getByText('Código de verificação inválido ou expirado')).toBeVisible()
  await expect(field).toBeFocused()
  await expect(field).toHaveValue('')
  await page.keyboard.type(right)
  await expect(page.getByRole('heading', { name: 'Email Verificado!' })).toBeVisible()
})

test('the sign-up names every field that is wrong and leads to the first', async ({ page }) => {
  await page.goto('/signup')
  await page.getByLabel('Nome Completo').fill('Maria Silva')
  await page.getByLabel('Email').fill('maria@')
  await page.getByLabel('CPF').pressSequentially('123')
  await page.getByLabel('Senha', { exact: true }).fill('curta')
  for (const consent of ['Termos Legais', 'Política de Privacidade', 'Termos LGPD'])
    await page.getByRole('checkbox', { name: consent }).check()
  const button = page.getByRole('button', { name: 'Criar Conta' })
  await expect(button).toBeDisabled()
  await expect(button).toHaveAccessibleDescription(
    'Falta preencher: Telefone, Data de Nascimento, Confirmar Senha. Confira: Email, CPF, Senha',
  )
  await button.click({ force: true })
  await expect(page.getByLabel('Email')).toBeFocused()
  await expect(page.getByText('Email inválido')).toBeVisible()
  await expect(page.getByText('Este campo é obrigatório').first()).toBeVisible()
})
