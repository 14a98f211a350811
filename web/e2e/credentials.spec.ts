// Another password, another address, and the link of the mails that undoes them; on a phone.
import type { Page } from '@playwright/test'
import { signInAt, newUserAt, logIn } from './arrival'
import { expect, test } from './journey'
import { newBrowserPage, waitUntilLive } from './people'
import { codeFor, mailbox, newPerson, SOON, type Person } from './person'
import { onAPhone } from './sizes'

const NEW = 'Trocada#77x'

async function welcome(page: Page): Promise<Person> {
  const person = newPerson()
  await newUserAt(page, person, '/account')
  return person
}

/** The link "Não fui eu" of the mail with that subject. */
async function wayBack(page: Page, address: string, subject: string): Promise<string> {
  let link: string | undefined
  await expect
    .poll(async () => {
      const mail = (await mailbox(page.request, address)).find((one) => one.subject === subject)
      link = /^http\S+\/not-me#\S+$/m.exec(mail?.text ?? '')?.[0]
      return link
    }, SOON)
    .toBeDefined()
  return link ?? ''
}

onAPhone(() => {
  test('a person changes the password and is signed in here alone, moves to another address, and takes it back by a mail', async ({
    page,
    browser,
  }) => {
    const person = await welcome(page)
    const other = await newBrowserPage(browser)
    await signInAt(other, person)
    await waitUntilLive(other)
    await page.getByRole('button', { name: 'Alterar senha' }).click()
    const dialog = page.getByRole('dialog', { name: 'Alterar senha' })
    await dialog.getByLabel('Senha atual').fill('Errada#2026')
    await dialog.getByLabel('Nova senha', { exact: true }).fill(NEW)
    await dialog.getByLabel('Confirmar nova senha').fill('outra')
    await dialog.getByRole('button', { name: 'Alterar senha' }).click()
    await expect(dialog.getByText('As senhas não coincidem')).toBeVisible()
    await dialog.getByLabel('Confirmar nova senha').fill(NEW)
    await dialog.getByRole('button', { name: 'Alterar senha' }).click()
    await expect(dialog.getByText('Senha incorreta')).toBeVisible()
    await dialog.getByLabel('Senha atual').fill(person.password)
    await dialog.getByRole('button', { name: 'Alterar senha' }).click()
    await expect(page.getByText('Senha alterada com sucesso!')).toBeVisible()
    await expect(dialog).toHaveCount(0)
    await other.waitForURL(/\/signin/)
    await page.reload()
    await expect(page.getByRole('heading', { name: 'Minha Conta', level: 1 })).toBeVisible()
    await logIn(other.request, { ...person, password: NEW })

    const address = newPerson().email
    await page.getByRole('button', { name: 'Alterar email' }).click()
    const moving = page.getByRole('dialog', { name: 'Alterar email' })
    await moving.getByLabel('Novo email').fill(person.email)
    await moving.getByLabel('Senha atual').fill(NEW)
    await moving.getByRole('button', { name: 'Enviar código' }).click()
    await expect(moving.getByText('Este já é o email da sua conta')).toBeVisible()
    await moving.getByLabel('Novo email').fill(address)
    await moving.getByRole('button', { name: 'Enviar código' }).click()
    const code = moving.getByLabel('Código de verificação')
    await expect(code).toBeFocused()
    const right = await codeFor(page.request, address)
    await code.pressSequentially(right === '000000' ? '000001' : '000000')
    await moving.getByRole('button', { name: 'Alterar email' }).click()
    await expect(moving.getByText('Código de verificação inválido ou expirado')).toBeVisible()
    await code.fill(right)
    await moving.getByRole('button', { name: 'Alterar email' }).click()
    await expect(page.getByText('Email alterado com sucesso!')).toBeVisible()
    await expect(page.getByRole('textbox', { name: 'Email' })).toHaveValue(address)
    await page.getByRole('button', { name: `Menu de ${person.name}` }).click()
    await expect(page.getByText(address).first()).toBeVisible()

    // It was somebody else: the owner takes the account back.
    const owner = await newBrowserPage(browser)
    const link = await wayBack(page, person.email, 'O email da sua conta do Bipe foi alterado')
    await owner.goto(link)
    await owner.getByRole('button', { name: 'Não fui eu: proteger a conta' }).click()
    await expect(owner.getByRole('heading', { name: 'Conta Protegida!' })).toBeFocused()
    await expect(owner.getByText(person.email)).toBeVisible()
    await page.waitForURL(/\/signin/)
    await owner.getByRole('link', { name: 'Redefinir Senha' }).click()
    const forgotten = owner.getByRole('dialog', { name: 'Esqueci minha senha' })
    await expect(forgotten.getByLabel('Email')).toHaveValue(person.email)
    await owner.goto(link)
    await owner.getByRole('button', { name: 'Não fui eu: proteger a conta' }).click()
    await expect(owner.getByText('Este link não vale mais')).toBeVisible()
  })
})
