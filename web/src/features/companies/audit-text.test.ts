import { describe, expect, test } from 'vitest'
import type { CompanyAuditEntry } from '../../api/company-audit'
import { actorText, targetText, toCsv } from './audit-text'

const entry: CompanyAuditEntry = {
  id: 'a',
  at: '2026-11-21T12:00:00Z',
  by: 'person',
  actorId: 'u',
  actorName: 'Ana Souza',
  action: 'payment.start',
  target: { id: 'p', amount: 9990 },
  outcome: 'ok',
  fields: [],
}

describe('an entry of the audit', () => {
  test('names its person, and nobody of the platform', () => {
    expect(actorText(entry)).toBe('Ana Souza')
    expect(actorText({ by: 'support', actorName: 'Root' })).toBe('Suporte do Bipe')
    expect(actorText({ by: 'system' })).toBe('Sistema')
  })

  test('says what it was about as far as that is known', () => {
    expect(targetText(entry.target)).toMatch(/^R\$\s99,90$/)
    expect(targetText({ id: 'i', name: 'bia@example.com' })).toBe('bia@example.com')
    expect(targetText({ id: 'pm', brand: 'visa', last4: '4242' })).toBe('Visa final 4242')
    expect(targetText({ id: 'gone' })).toBe('')
    expect(targetText(null)).toBe('')
  })

  test('stays text in a spreadsheet', () => {
    const lines = toCsv([
      {
        ...entry,
        actorName: '=1+1',
        action: 'company.edit',
        target: null,
        outcome: 'refused',
        fields: ['companyName'],
      },
    ]).split('\r\n')
    expect(lines[0]).toBe('Data;Quem;Atividade;Sobre;Detalhes')
    expect(lines[1]).toMatch(/;'=1\+1;Editou a empresa;;recusado · campo: nome$/)
  })
})
