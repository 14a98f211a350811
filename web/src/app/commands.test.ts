import { expect, it } from 'vitest'
import type { Company } from '../api/companies'
import { paths } from '../lib/paths'
import { adminItems } from './admin-layout'
import { commandsFor, matching } from './commands'

function company(id: string, companyName: string): Company {
  return {
    id,
    companyName,
    userRole: 'admin',
    companyCreatedBy: 'x',
    status: 'active',
    createdAt: '2026-11-21T12:00:00Z',
  }
}

const labels = (commands: { label: string }[]) => commands.map(({ label }) => label)

it('offers the admin area to platform administrators only', () => {
  const sources = { companies: [], selected: undefined }
  expect(labels(commandsFor({ ...sources, isAdmin: false }))).not.toContain('Analytics')
  expect(labels(commandsFor({ ...sources, isAdmin: true }))).toContain('Analytics')
})

it('offers every page of the admin area, as the sidebar does', () => {
  const pages = Object.values(paths).filter((path) => path.startsWith(`${paths.admin}/`))
  const commands = commandsFor({ isAdmin: true, companies: [], selected: undefined })
  expect(commands.flatMap((command) => (command.kind === 'go' ? command.to : []))).toEqual(
    expect.arrayContaining(pages),
  )
  expect(adminItems.map(({ to }) => to)).toEqual(expect.arrayContaining(pages))
})

it('offers the other companies, not the one that is selected', () => {
  const [selected, other] = [company('1', 'Ponto Central'), company('2', 'Ponto Norte')]
  const commands = commandsFor({ isAdmin: false, companies: [selected, other], selected })
  expect(labels(commands.filter(({ kind }) => kind === 'company'))).toEqual(['Ponto Norte'])
})

it('finds by any words, without case and accents', () => {
  const commands = commandsFor({ isAdmin: false, companies: [company('1', 'Expedição São José')], selected: undefined })
  expect(labels(matching(commands, 'SAO expedicao'))).toEqual(['Expedição São José'])
  expect(labels(matching(commands, 'tema escuro'))).toEqual(['Escuro'])
  expect(matching(commands, '   ')).toHaveLength(commands.length)
  expect(matching(commands, 'xyz')).toEqual([])
})

it('runs what the person may do in the company, and nothing else', () => {
  const actions = (userRole: Company['userRole'], status: Company['status'] = 'active') => {
    const selected = { ...company('1', 'Ponto Central'), userRole, status }
    return labels(
      commandsFor({ isAdmin: false, companies: [selected], selected }).filter(({ hint }) => hint === 'Ação'),
    )
  }
  expect(actions('admin')).toEqual(['Convidar Usuário', 'Pagar ou renovar a assinatura'])
  expect(actions('finance')).toEqual(['Pagar ou renovar a assinatura'])
  expect(actions('operator')).toEqual([])
  expect(actions('admin', 'suspended')).toEqual([])
  expect(actions('admin', 'inactive')).toEqual([])
})

it('pauses and resumes live updates, while there are any', () => {
  const sources = { isAdmin: false, companies: [], selected: undefined }
  expect(labels(commandsFor({ ...sources, paused: false }))).toContain('Pausar atualizações')
  expect(labels(commandsFor({ ...sources, paused: true }))).toContain('Retomar atualizações')
  expect(labels(commandsFor(sources)).filter((label) => /atualizações/.test(label))).toEqual([])
})

it('leads operators to no page that would refuse them', () => {
  const selected = { ...company('1', 'Ponto Central'), userRole: 'operator' as const }
  const offered = labels(commandsFor({ isAdmin: false, companies: [selected], selected }))
  expect(offered).not.toContain('Pagamentos')
  for (const money of ['Faturas', 'Saldos', 'Transações', 'Análises']) expect(offered).not.toContain(money)
})
