// The files of the company's lists carry the day of São Paulo, by the server's clock.
import { expect, test, vi } from 'vitest'
import { downloadInvoices } from '../src/features/invoices/invoices-csv'
import { downloadPayments } from '../src/features/payments/payments-csv'
import { downloadTransactions } from '../src/features/transactions/transactions-csv'
import { noteWelcome } from '../src/live/status'

const saveCsv = vi.hoisted(() => vi.fn())
vi.mock('../src/ui/save-file', () => ({ saveCsv }))
vi.mock('../src/lib/all-pages', () => ({ allPages: () => Promise.resolve([]) }))

test.each([
  ['faturas', () => downloadInvoices('c1', {})],
  ['pagamentos', () => downloadPayments('c1', {}, [])],
  ['transacoes', () => downloadTransactions('c1', {})],
])('the file of %s carries the day of São Paulo, not of UTC', async (name, download) => {
  noteWelcome('2029-01-01T02:00:00Z')
  await download()
  expect(saveCsv).toHaveBeenLastCalledWith(`${name}-2028-12-31.csv`, expect.any(String))
})
