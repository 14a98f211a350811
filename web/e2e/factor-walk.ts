// A walk through the screens of the second factor: setting it up, the second step of a sign-in, the question before a
// sensitive command, and the admin area that demands one. A caller stops at each of them, to take a picture.
import { type Page } from '@playwright/test'
import { signInAt, newCompanyOwnerAt, registerVerified } from './arrival'
import { codeOf, advancePastUsedCodes } from './authenticator'
import { memberRow } from './people'
import { newPerson } from './person'
import { requireSecondFactor, firstStep, setUpApp, setUpAppHere, signOut } from './second-factor'
import { addMember, promote } from './setup'

type Stop = (name: string) => Promise<void>

export async function walkFactor(page: Page, at: Stop): Promise<void> {
  const [admin, member] = [newPerson('Ana Chefe'), newPerson('Bia Operadora')]
  await newCompanyOwnerAt(page, admin, 'Ponto Central')
  await registerVerified(page.request, member)
  await addMember(page, member.email, 'operator')
  const { secret } = await setUpApp(page, admin, at)
  await at('an account with a second factor')

  await signOut(page)
  await firstStep(page, admin)
  await page.getByRole('heading', { name: 'Verificação em duas etapas' }).waitFor()
  await at('the second step of a sign-in')
  await page.getByRole('button', { name: 'Usar um código de recuperação' }).click()
  await at('a recovery code at sign-in')
  await page.getByRole('button', { name: 'Usar o código do aplicativo' }).click()
  await advancePastUsedCodes(page.request)
  await page.getByLabel('Código do aplicativo').pressSequentially(await codeOf(page.request, secret))
  await page.waitForURL('/dashboard')

  await page.request.post('/dev/clock', { data: { advanceSeconds: 660 } })
  await page.goto('/company/manage')
  await memberRow(page, member.name).getByLabel(`Papel de ${member.name}`).selectOption({ label: 'Financeiro' })
  await page.getByRole('dialog', { name: 'Confirme que é você' }).waitFor()
  await at('the second factor again')

  await promote(page.request, member)
  await signInAt(page, member)
  await requireSecondFactor(page)
  await page.goto('/admin')
  await page.getByRole('heading', { name: 'Proteja o acesso de administrador' }).waitFor()
  await at('the admin area before a second factor')
  await setUpAppHere(page, member)
  await at('the admin area after a second factor was set up')
}
