// "Registro de atividades": what was done in a company, for its admins alone, filtered, and as a file.
import { readFile } from 'node:fs/promises'
import { newCompanyOwner, registerVerified } from './arrival'
import { expect, test } from './journey'
import { newPerson } from './person'
import { addMember } from './setup'

test('an admin reads what was done, filters it and takes it away', async ({ page }) => {
  const [maria, ana] = [newPerson(), newPerson('Ana Souza')]
  await registerVerified(page.request, ana)
  await newCompanyOwner(page, maria, 'Ponto Central')
  await addMember(page, ana.email, 'operator')
  await page.goto('/company/manage')
  await page.getByRole('link', { name: 'Registro de atividades' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Registro de atividades' })).toBeVisible()
  const table = page.getByRole('table', { name: 'Registro de atividades' })
  await expect(table.getByRole('row').filter({ hasText: 'Adicionou um usuário' })).toContainText(ana.name)
  await expect(table.getByText('Criou a empresa')).toBeVisible()

  await page.getByLabel('Tipo').selectOption({ label: 'Usuários' })
  await expect(page).toHaveURL(/action=member/)
  await expect(table.getByText('Criou a empresa')).toHaveCount(0)
  await page.getByLabel('Pessoa').selectOption({ label: ana.name })
  await expect(page.getByText('Nenhuma atividade encontrada')).toBeVisible()
  await page.getByRole('button', { name: 'Limpar filtros' }).click()
  await expect(table.getByText('Criou a empresa')).toBeVisible()

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Exportar CSV' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^atividades-\d{4}-\d{2}-\d{2}\.csv$/)
  const text = await readFile(await download.path(), 'utf8')
  expect(text.startsWith('\uFEFFData;Quem;Atividade;Sobre;Detalhes\r\n')).toBe(true)
  expect(text).toContain(`;${maria.name};Adicionou um usuário;${ana.name};`)
  await page.reload()
  await expect(table.getByText('Exportou o registro de atividades')).toBeVisible()
})
