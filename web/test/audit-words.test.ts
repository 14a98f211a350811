// Every act that the server's source can write into the audit has its words, and no words outlive their act.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { actKinds, fieldsText, knownActs } from '../src/lib/audit-words'

const root = new URL('../../', import.meta.url)
const ACT =
  /"((?:admin|audit|billing_profile|company|invite|invoice|member|metrics|passkey|payment|payment_method|plan|rate_limit|recovery_codes|second_factor|session|subscription|user)\.[a-z_]+)"/g
/** Written like acts: live events, topics of notifications, alerts, and events of the provider. */
const others = [
  'company.deleted',
  'company.ended',
  'company.updated',
  'invite.created',
  'invite.removed',
  'invoice.issued',
  'member.added',
  'member.removed',
  'member.role',
  'member.updated',
  'metrics.drift',
  'metrics.updated',
  'payment.approved',
  'payment.credited',
  'payment.disputed',
  'payment.expired',
  'payment.foreign_object',
  'payment.invariant',
  'payment.late_money',
  'payment.refunded',
  'payment.refused',
  'payment.under_review',
  'payment.unknown_status',
  'payment.updated',
  'payment_method.attached',
  'payment_method.automatically_updated',
  'payment_method.detached',
  'payment_method.updated',
  'plan.activated',
  'plan.changed',
  'plan.downgraded',
  'plan.kept',
  'plan.scheduled',
  'plan.updated',
  'plan.upgraded',
  'session.revoked',
  'subscription.canceled',
  'subscription.expired',
  'subscription.expiring',
  'subscription.reactivated',
  'subscription.renewed',
  'subscription.suspended',
  'subscription.updated',
]

it('every act of the audit has words, and nothing else has', () => {
  const files = ['core', 'actors', 'http']
    .flatMap((crate) =>
      readdirSync(new URL(`${crate}/src`, root), { recursive: true, encoding: 'utf8' }).map(
        (file) => `${crate}/src/${file}`,
      ),
    )
    .filter((file) => file.endsWith('.rs'))
  expect(files.length).toBeGreaterThan(100)
  const written = new Set(
    files.flatMap((file) => [...readFileSync(new URL(file, root), 'utf8').matchAll(ACT)].map(([, act]) => act ?? '')),
  )
  const acts = [...written].filter((act) => !others.includes(act))
  expect(acts.toSorted()).toEqual(knownActs.toSorted())
})

/** What no act of a company is about: people, their sign-ins, and the platform. */
const otherKinds = ['admin', 'metrics', 'passkey', 'plan', 'rate_limit', 'recovery_codes', 'session', 'user']

it('a company can filter by everything that its acts are about', () => {
  const kinds = new Set(knownActs.map((act) => act.split('.')[0] ?? ''))
  expect([...Object.keys(actKinds), ...otherKinds].toSorted()).toEqual([...kinds].toSorted())
})

it('names the changed fields in Portuguese, each once', () => {
  expect(fieldsText(['displayName', 'name', 'limits'])).toBe('campos: nome, limites')
  expect(fieldsText(['status'])).toBe('campo: status')
  expect(fieldsText([])).toBe('')
  expect(fieldsText(['new_thing'])).toBe('campo: new_thing')
})
