// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { Route, Routes } from 'react-router'
import { expect, test, vi } from 'vitest'
import { emptyCache } from '../../../test/cache'
import { askingCache, renderAt } from '../../../test/render'
import type { Company } from '../../api/companies'
import { ApiError } from '../../api/errors'
import { invoiceQuery, type Invoice } from '../../api/invoices'
import type { CompanyPageProps } from '../../auth/company-page'
import { invoicePath, invoiceRoute } from '../../lib/paths'
import { announce } from '../../ui/announcer'
import { InvoicePage } from './invoice'

const unwrap = vi.hoisted(() => vi.fn())
vi.mock('../../ui/announcer', { spy: true })
vi.mock('../../api/client', () => ({ api: { GET: vi.fn(), POST: vi.fn() }, unwrap }))
vi.mock('../../auth/company-page', () => ({
  CompanyPage: ({ children }: CompanyPageProps) => children({ id: 'c1' } as Company),
}))
vi.mock('../../auth/use-linked-company', () => ({ useLinkedCompany: () => ({ selecting: false }) }))
vi.mock('./invoice-sheet', () => ({ InvoiceSheet: () => null }))

const page = (
  <Routes>
    <Route path={invoiceRoute} element={<InvoicePage />} />
  </Routes>
)

test('a document that was mailed too often is held back for the time that the server says', async () => {
  unwrap.mockRejectedValue(new ApiError('RATE_LIMITED', { status: 429, retryAfter: 360 }))
  const queries = emptyCache()
  queries.setQueryData(invoiceQuery('c1', 'i1').queryKey, { id: 'i1', companyId: 'c1', number: 7 } as Invoice)
  renderAt(invoicePath('i1'), page, queries)
  const send = screen.getByRole<HTMLButtonElement>('button', { name: 'Enviar por email' })
  fireEvent.click(send)
  await waitFor(() => expect(send.matches('[disabled]:not([aria-busy])')).toBe(true))
  fireEvent.click(send)
  expect(unwrap).toHaveBeenCalledOnce()
})

test('that there is no such document is heard', async () => {
  unwrap.mockRejectedValue(new ApiError('NOT_FOUND', { status: 404 }))
  renderAt(invoicePath('i1'), page, askingCache())
  await waitFor(() => expect(announce).toHaveBeenCalledWith('Fatura não encontrada'))
})
