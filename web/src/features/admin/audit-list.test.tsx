// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { emptyCache } from '../../../test/cache'
import { renderAt } from '../../../test/render'
import { auditQuery, type AuditFilter, type AuditEntry } from '../../api/admin'
import { AuditList } from './audit-list'

const azul = '019aad8a-0000-7000-8000-0000cafebabe'
const target = '019aad8a-0000-7000-8000-0000deadbeef'
const agent = '019aad8a-0000-7000-8000-00000000a9e1'

const at = '2026-11-21T12:00:00Z'
const entry = (action: AuditEntry['action'], rest: Partial<AuditEntry> = {}): AuditEntry => ({
  id: action,
  at,
  action,
  actorId: agent,
  actorName: 'Rita Suporte',
  outcome: 'ok',
  fields: [],
  target,
  ...rest,
})

/** The links of one entry in the audit of a person, or of a company. */
function linksOf(one: AuditEntry, about: AuditFilter = { actor: agent }) {
  const queries = emptyCache()
  queries.setQueryData(auditQuery(about).queryKey, {
    pages: [{ entries: [one], page: 1, total: 1 }],
    pageParams: [1],
  })
  renderAt('/', <AuditList about={about} />, queries)
  return screen.queryAllByRole('link').map((link) => [link.textContent, link.getAttribute('href')])
}

const person = ['Ver pessoa', `/admin/users?user=${target}`]

test.each<[AuditEntry['action'], string[]]>([
  ['payment.ask_refund', ['Ver pagamento', `/admin/payments?payment=${target}`]],
  ['plan.edit', ['Ver plano', `/admin/plans?edit=${target}`]],
  ['user.edit', person],
  ['user.end_sessions', person],
  ['member.update', person],
  ['audit.read', person],
  ['company.inherit', person],
])('%s leads to what it was about', (action, link) => {
  expect(linksOf(entry(action))).toEqual([link])
})

test('an entry that two pages hold, because more was done between them, stands there once', () => {
  const about = { actor: agent }
  const [newer, older] = [entry('user.edit'), entry('plan.edit')]
  const queries = emptyCache()
  queries.setQueryData(auditQuery(about).queryKey, {
    pages: [
      { entries: [newer, older], page: 1, total: 12 },
      { entries: [older, entry('session.start')], page: 2, total: 13 },
    ],
    pageParams: [1, 2],
  })
  renderAt('/', <AuditList about={about} />, queries)
  const acts = screen.getAllByRole('listitem').map((line) => line.querySelector('[title]')?.getAttribute('title'))
  expect(acts).toEqual(['user.edit', 'plan.edit', 'session.start'])
})

test('what was done to a person says who did it, and leads nowhere else', () => {
  expect(linksOf(entry('user.edit'), { target })).toEqual([])
  screen.getByText('Rita Suporte')
})

test('the company of an act stands before its target, but not in its own audit', () => {
  const refund = entry('payment.ask_refund', { companyId: azul, companyName: 'Ponto Azul' })
  const payment = ['Ver pagamento', `/admin/payments?payment=${target}`]
  expect(linksOf(refund)).toEqual([['Ponto Azul', `/admin/companies?company=${azul}`], payment])
  cleanup()
  expect(linksOf(refund, { company: azul })).toEqual([payment])
  screen.getByText('Rita Suporte')
})

test.each([
  ['a card', entry('payment_method.remove', { target: 'pm_1' })],
  ['a session', entry('session.end')],
  ['somebody who was erased', entry('user.erase')],
  ['what is no id', entry('user.undo', { target: 'email_change' })],
  ['oneself', entry('member.leave', { target: agent })],
  ['nothing', entry('user.search', { target: null })],
])('an act about %s leads nowhere', (_, one) => {
  expect(linksOf(one)).toEqual([])
})
