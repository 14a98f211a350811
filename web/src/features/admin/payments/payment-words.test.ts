// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { approvedText, receivedText } from './payment-charts'
import { foundText } from './payments'

test('the days say what came in together, and not how the first and the last of them differ', () => {
  const rows = [
    { month: '2026-11-23', paid: 9990 },
    { month: '2026-11-24', paid: 0 },
  ]
  expect(receivedText(rows).replaceAll('\u00a0', ' ')).toBe('R$ 99,90 recebidos de 23/11 a 24/11')
  expect(receivedText(rows.slice(1))).toBe('Nada recebido em 24/11')
})

test('counts are said as far as the server counts', () => {
  expect(foundText(0)).toBe('Nenhum pagamento')
  expect(foundText(10_000)).toBe('Mais de 10.000 pagamentos')
  expect(approvedText({ count: 1_000, succeeded: 8 })).toBe('8 de 1.000')
})
