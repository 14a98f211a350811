// The ways around what goes wrong between sign-up and first sign-in, on a phone; the same forms at a desk are those of
// the keyboard's journeys. The way on which nothing goes wrong is that of the first session.
import { registerUnverified, logIn } from './arrival'
import { expect, test } from './journey'
import { linkFor } from './people'
import { codeFor, newPerson } from './person'
import { onAPhone } from './sizes'

onAPhone(() => {
  test('who opens a private page without a verified address is led by the code and the sign-in back to it', async ({
    page,
  }) => {
    const person = newPerson()
    await registerUnverified(page.request, person)
    await codeFor(page.request, person.email)
    await page.goto('/company/create')
    await page.waitForURL('/signin?next=%2Fcompany%2Fcreate')
    await page.getByLabel('Email').fill(person.email)
    await page.getByLabel('Senha', { exact: true }).fill(person.password)
    await page.getByRole('button', { name: 'Entrar' }).click()
    await expect(page.getByRole('main').getByText('Email não verificado. Verifique sua caixa de entrada')).toBeVisible()
    await page.getByRole('button', { name: 'Verificar agora' }).click()
    await expect(page.getByLabel('Email', { exact: true })).toHaveValue(person.email)
    const code = page.getByLabel('Código de verificação')
    await expect(code).toBeFocused()
    await page.keyboard.type('a')
    await expect(page.getByText('Código deve conter apenas números')).toBeVisible()
    const right = await codeFor(page.request, person.email)
    await page.keyboard.type(right === '000000' ? '000001' : '000000')
    await expect(page.getByRole('main').getByText('Código de verificação inválido ou expirado')).toBeVisible()
    await expect(code).toBeFocused()
    await expect(code).toHaveValue('')
    await page.keyboard.type(right)
    await expect(page.getByRole('heading', { name: 'Email Verificado!' })).toBeVisible()
    // This browser did not sign up: the code opens nothing.
    expect(await page.evaluate(() => localStorage.getItem('bipe.accessToken'))).toBeNull()
    await page.getByRole('link', { name: 'Fazer login' }).click()
    await expect(page.getByLabel('Email')).toHaveValue(person.email)
    await page.getByLabel('Senha', { exact: true }).fill(person.password)
    await page.getByRole('button', { name: 'Entrar' }).click()
    await page.waitForURL('/company/create')
  })

  test('an account that somebody else began is taken over by the link of a mail', async ({ page }) => {
    const person = newPerson()
    await registerUnverified(page.request, person)
    await page.request.post('/api/auth/forgot-password', { data: { userEmail: person.email } })
    const link = await linkFor(page.request, person.email, '/reset-password')
    await page.goto(link)
    await expect(page.getByLabel('Email')).toHaveCount(0)
    await page.getByLabel('Nova Senha', { exact: true }).fill('Nova#2026x')
    await page.getByLabel('Confirmar Nova Senha').fill('Nova#2026x')
    await page.getByRole('button', { name: 'Redefinir Senha' }).click()
    await expect(page.getByText('Todas as sessões foram encerradas.')).toBeVisible()

    // Used once.
    await page.goto('about:blank')
    await page.goto(link)
    await page.getByLabel('Nova Senha', { exact: true }).fill('Outra#2026x')
    await page.getByLabel('Confirmar Nova Senha').fill('Outra#2026x')
    await page.getByRole('button', { name: 'Redefinir Senha' }).click()
    await expect(page.getByRole('main').getByText('Este link expirou ou já foi usado.')).toBeVisible()
    await page.getByRole('link', { name: 'Pedir outro' }).click()
    const forgotten = page.getByRole('dialog', { name: 'Esqueci minha senha' })
    await expect(forgotten.getByLabel('Email')).toHaveValue(person.email)
    await logIn(page.request, { ...person, password: 'Nova#2026x' })
  })
})
