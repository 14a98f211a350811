import { expect, it } from 'vitest'
import type { Company } from '../api/companies'
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
