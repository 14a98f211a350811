// @vitest-environment happy-dom
import { fireEvent, screen } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { renderAt } from '../../../test/render'
import type { Company } from '../../api/companies'
import { ApiError } from '../../api/errors'
import type { CompanyPageProps } from '../../auth/company-page'
import { paths } from '../../lib/paths'
import { AuditLogPage } from './audit-log'

const { get, company } = vi.hoisted(() => ({ get: vi.fn(), company: { id: 'c1', userRole: 'admin' } }))
vi.mock('../../api/client', () => ({ api: { GET: get }, unwrap: (answer: unknown) => answer }))
vi.mock('../../auth/company-page', () => ({
  CompanyPage: ({ mayRead, children }: CompanyPageProps) =>
    mayRead?.(company as Company) ? children(company as Company) : <p>forbidden</p>,
}))

/** The answer about what was done. */
const audit = vi.fn()
let users: { userId: string; userName: string }[] = []

beforeEach(() => {
  company.userRole = 'admin'
  users = []
  audit.mockReset()
  get.mockReset()
  get.mockImplementation((path: string) =>
    path.endsWith('/audit') ? audit() : Promise.resolve({ company: { ...company, users } }),
  )
})

test('a failure is said and can be tried again', async () => {
  audit.mockRejectedValueOnce(new ApiError('CONFLICT', { status: 409 }))
  audit.mockResolvedValue({ entries: [], page: 1, total: 0 })
  renderAt(paths.companyAudit, <AuditLogPage />)
  await screen.findByText('Erro ao carregar registro de atividades')
  fireEvent.click(screen.getByRole('button', { name: 'Tentar Novamente' }))
  await screen.findByText('Nenhuma atividade encontrada')
})

test('the people to filter by stand in the order of their names, whatever their accents', async () => {
  users = ['Zélia', 'Águeda', 'Bruno'].map((userName) => ({ userId: userName, userName }))
  audit.mockResolvedValue({ entries: [], page: 1, total: 0 })
  renderAt(paths.companyAudit, <AuditLogPage />)
  await screen.findByRole('option', { name: 'Bruno' })
  const people = screen.getByLabelText<HTMLSelectElement>('Pessoa')
  expect(Array.from(people.options, ({ text }) => text)).toEqual(['Todas', 'Águeda', 'Bruno', 'Zélia'])
})

test.each(['finance', 'operator'])('a member with the role %s is asked nothing and told so', (role) => {
  company.userRole = role
  renderAt(paths.companyAudit, <AuditLogPage />)
  screen.getByText('forbidden')
  expect(get).not.toHaveBeenCalled()
})
