import { expect, test } from 'vitest'
import { noteOf } from './words'

test('a document says what became of the money', () => {
  const money = { becameCredit: false, total: 9990, lines: [] }
  expect(noteOf({ ...money, kind: 'payment' })).toBeNull()
  expect(noteOf({ ...money, kind: 'payment', becameCredit: true })).toContain('virou crédito')
  expect(noteOf({ ...money, kind: 'refund' })).toContain('foi devolvido')
  expect(noteOf({ ...money, kind: 'refund', total: -990 })).toContain('desfez')
})

test('what cost nothing names credit only where credit paid all of it', () => {
  const note = (lines: Parameters<typeof noteOf>[0]['lines']) =>
    noteOf({ kind: 'change', becameCredit: false, total: 0, lines })
  const used = { kind: 'creditUsed', amount: -10 } as const
  const carried = { kind: 'carried', amount: -30 } as const
  expect(note([{ kind: 'plan', amount: 10 }, used])).toBe('Pago com o crédito da empresa: nada foi cobrado.')
  for (const lines of [[carried], [used, carried]]) {
    expect(note([{ kind: 'prorated', amount: 40 }, ...lines])).toBe(
      'Nada foi cobrado agora: o que falta entra na próxima cobrança.',
    )
  }
  expect(note([{ kind: 'creditKept', amount: 4244 }])).toBe('Nada foi cobrado nesta mudança.')
})
