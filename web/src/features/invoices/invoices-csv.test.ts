// @vitest-environment happy-dom
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Invoice } from '../../api/invoices'
import { paymentMethods } from '../../api/payment-methods'
import { toCsv } from './invoices-csv'

const invoice = (rest: Partial<Invoice>) =>
  ({
    number: 123,
    kind: 'payment',
    at: '2026-11-21T15:00:00Z',
    issuedAt: '2026-11-21T15:00:01Z',
    issuer: { name: 'Bipe Ltda.', taxId: '11222333000181', address: '', email: '' },
    payer: { name: 'Ponto Norte', taxId: '11144477735', address: null },
    paidBy: 'Ana',
    planName: 'Essencial',
    billingCycle: 'monthly',
    period: { start: '2026-11-21T15:00:00Z', end: '2026-12-21T15:00:00Z' },
    total: 123456,
    currency: 'brl',
    becameCredit: false,
    payment: { method: 'CREDIT_CARD', card: { brand: 'visa', last4: '4242' }, reference: 'pi_1' },
    ...rest,
  }) as Invoice

const rowOf = (rest: Partial<Invoice>) => toCsv([invoice(rest)]).split('\r\n')[1]

test('a document is one line with days, a card and a decimal comma', () => {
  expect(rowOf({})).toBe(
    '000123;Pagamento;21/11/2026 12:00;21/11/2026 12:00;Ponto Norte;111.444.777-35;Bipe Ltda.;11.222.333/0001-81;' +
      'Essencial · Mensal;21/11/2026;21/12/2026;Visa 4242;1234,56;BRL;Não;Ana;pi_1',
  )
})

test('what was not paid has neither method nor period nor person, and what nobody has said is empty', () => {
  const unnamed = {
    issuer: { name: '', taxId: '', address: '', email: '' },
    payer: { name: 'Ponto Norte', taxId: null, address: null },
  }
  expect(rowOf({ ...unnamed, kind: 'change', total: 0, payment: null, period: null, paidBy: null })).toBe(
    '000123;Sem cobrança;21/11/2026 12:00;21/11/2026 12:00;Ponto Norte;;;;Essencial · Mensal;;;—;0,00;BRL;Não;;',
  )
})

test('a refund is below zero, and a number; one that was undone is above', () => {
  expect(rowOf({ kind: 'refund', total: 990 })).toContain(';Visa 4242;-9,90;BRL;')
  expect(rowOf({ kind: 'refund', total: -990 })).toContain(';Visa 4242;9,90;BRL;')
})

test('a kind that this build does not know is its code', () => {
  expect(rowOf({ kind: 'donation' as Invoice['kind'] })).toContain('000123;donation;')
})

test('a name cannot become a formula or break its row', () => {
  expect(rowOf({ payer: { name: '=1+1;x', taxId: null, address: null } })).toContain(`;"'=1+1;x";`)
})

test('the file has the columns of the table in the archive of a year', () => {
  const archive = readFileSync(`${import.meta.dirname}/../../../../core/src/invoice/archive_pt_br.rs`, 'utf8')
  const columns = archive.slice(archive.indexOf('const COLUMNS'), archive.indexOf('];'))
  expect(toCsv([]).trim().replace('\uFEFF', '').split(';')).toEqual(
    [...columns.matchAll(/"(.+?)"/g)].map(([, name]) => name),
  )
})

test('a method has one name in the file, in the archive of a year and in a PDF', () => {
  const names = readFileSync(`${import.meta.dirname}/../../../../core/src/payment_method/names_pt_br.rs`, 'utf8')
  const titles = names.slice(names.indexOf('fn title'), names.indexOf('fn activity_name'))
  const server = [...titles.matchAll(/=> "(.+?)"/g)].map(([, name]) => name)
  expect(Object.values(paymentMethods).map(({ label }) => label)).toEqual(server)
})
