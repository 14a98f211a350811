// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { QueryClient } from '@tanstack/react-query'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { detail, payment } from '../../../../test/admin-payment'
import { renderAt } from '../../../../test/render'
import { api } from '../../../api/client'
import type { PaymentFigures } from '../../../api/admin-payments'
import { paths } from '../../../lib/paths'
import { forgetPause, setLiveStatus } from '../../../live/status'
import { TooltipProvider } from '../../../ui/tooltip'
import { AdminPaymentsPage, filterOf } from './payments'

const sums = { count: 1, succeeded: 1, paid: 9990, refunded: 990 }
const figures: PaymentFigures = { totals: sums, days: [], plans: [], methods: [] }

/** What stands beside the payments. */
const fixed: Record<string, unknown> = {
  '/api/admin/plans': { plans: [], page: 1, total: 0 },
  '/api/admin/views': { views: [] },
}
/** What the server answers by the end of the path; a failure where it is missing. */
let answers: Record<string, unknown> = {}
/** How many seconds old it says its data is. */
let age: string | null = null
let asked: { path: string; query: Record<string, unknown> }[] = []

function show(at: string) {
  asked = []
  vi.spyOn(api, 'GET').mockImplementation(((path: string, init: { params?: { query?: Record<string, unknown> } }) => {
    asked.push({ path, query: init.params?.query ?? {} })
    const data = fixed[path] ?? answers[path.split('/').at(-1) ?? '']
    return Promise.resolve(
      data
        ? {
            data: { success: true, data },
            response: new Response(null, age === null ? {} : { headers: { 'x-data-age': age } }),
          }
        : {
            error: { error: { code: 'SERVICE_UNAVAILABLE', message: 'x' } },
            response: new Response(null, { status: 503 }),
          },
    )
  }) as never)
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false, gcTime: Infinity } } })
  renderAt(
    `${paths.adminPayments}${at}`,
    <TooltipProvider>
      <AdminPaymentsPage />
    </TooltipProvider>,
    queries,
  )
}

afterEach(() => {
  age = null
  cleanup()
  forgetPause()
})

describe('the payments of the platform', () => {
  test('a row says company, plan, method, amount and what went back', async () => {
    answers = { payments: { payments: [payment], total: 1, page: 1, next: null }, figures: { figures } }
    show('')
    const table = await screen.findByRole('table', { name: 'Pagamentos de todas as empresas' })
    for (const text of ['Ponto Central', 'PIX', 'Aprovado', 'Reembolsado em parte']) within(table).getByText(text)
    screen.getByText('1 pagamento')
    await waitFor(() => screen.getByText('Recebido'))
  })
  test('sums of millions have room on a phone, and are whole in the title', async () => {
    const totals = { count: 900_000, succeeded: 800_000, paid: 1_234_567_890, refunded: 9990 }
    answers = {
      payments: { payments: [payment], total: 1, page: 1, next: null },
      figures: { figures: { ...figures, totals } },
    }
    show('')
    const paid = await screen.findByTitle('R$ 12.345.678,90')
    expect(paid.firstChild?.textContent).toBe('R$\u00a012,3\u00a0mi')
    expect(screen.getByTitle('R$ 99,90').firstChild?.textContent).toBe('R$\u00a099,90')
  })
  test.each([
    ['Reembolsado em parte', 15_000, 9990, /^R\$\s150,00$/],
    ['Reembolsado', 8000, 8000, /^R\$\s80,00$/],
    ['Reembolsado', undefined, 9990, /^R\$\s99,90$/],
    ['Reembolsado', null, 9990, /^R\$\s99,90$/],
  ])('"%s": of %s that came in, %s went back', async (label, received, refunded, amount) => {
    const paid = { ...payment, received, refunded }
    answers = { payments: { payments: [paid], total: 1, page: 1, next: null }, figures: { figures } }
    show('')
    const table = await screen.findByRole('table', { name: 'Pagamentos de todas as empresas' })
    within(table).getByText(label)
    within(table).getByText(amount)
  })
  test('a payment under review leads to the decision, and does not say that it was not paid', async () => {
    const reviewed = { status: 'PROCESSING', failureCode: 'under_review', received: 8000, refunded: 0 } as const
    answers = {
      payments: { payments: [{ ...payment, ...reviewed }], total: 1, page: 1, next: null },
      figures: { figures },
      '{id}': { payment: { ...detail, ...reviewed } },
    }
    show(`?payment=${payment.id}`)
    const sheet = within(await screen.findByRole('dialog', { name: /de Ponto Central/ }))
    await sheet.findByText('Em análise')
    expect(sheet.getByRole('link', { name: 'Ir para o Admin Dashboard' }).getAttribute('href')).toBe(
      paths.adminDashboard,
    )
    expect(sheet.queryByText('Por que não foi pago')).toBeNull()
    const table = await screen.findByRole('table', { name: 'Pagamentos de todas as empresas', hidden: true })
    within(table).getByText('Em análise')
  })
  test('figures of a replica say how old they are, below all that the words would move', async () => {
    answers = { payments: { payments: [payment], total: 1, page: 1, next: null }, figures: { figures } }
    age = '7'
    show('')
    const words = await screen.findByText('Dados de 7 s atrás')
    const days = await screen.findByRole('heading', { name: 'Por dia' })
    expect(days.compareDocumentPosition(words) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy()
  })
  test('the filter of the address is asked for, and nothing found offers to clear it', async () => {
    answers = { payments: { payments: [], total: 0, page: 1, next: null }, figures: { figures } }
    show('?search=pi_77&status=FAILED&method=PIX&plan=essencial&from=2026-11-01&to=2026-11-21&sort=plan')
    await screen.findByText('Nenhum pagamento encontrado')
    screen.getByRole('button', { name: 'Limpar filtros' })
    const { query } = asked.find(({ path }) => path.endsWith('/payments')) ?? { query: {} }
    expect(query).toEqual({
      search: 'pi_77',
      status: 'FAILED',
      method: 'PIX',
      plan: 'essencial',
      from: '2026-11-01',
      to: '2026-11-21',
      sort: '-createdAt',
      limit: 20,
    })
  })
  test('the payments of one company are named by it, and one choice leads back to all', async () => {
    answers = { payments: { payments: [payment], total: 1, page: 1, next: null }, figures: { figures } }
    show(`?company=${payment.companyId}`)
    const select = await screen.findByLabelText<HTMLSelectElement>('Empresa')
    await waitFor(() => expect(select.selectedOptions[0]?.text).toBe('Ponto Central'))
    const asks = (path: string) => asked.filter((call) => call.path.endsWith(path)).map(({ query }) => query['company'])
    expect(new Set([...asks('/payments'), ...asks('/figures')])).toEqual(new Set([payment.companyId]))
    fireEvent.change(select, { target: { value: '' } })
    await waitFor(() => expect(screen.queryByLabelText('Empresa')).toBeNull())
    expect(asks('/payments').at(-1)).toBeUndefined()
    expect(asks('/companies/{id}')).toEqual([])
  })
  test('a company without a payment in the list is read for its name', async () => {
    const nothing = { payments: [], total: 0, page: 1, next: null }
    answers = { payments: nothing, figures: { figures }, '{id}': { company: { name: 'Ponto Azul' } } }
    show(`?company=${payment.companyId}&status=FAILED`)
    const select = await screen.findByLabelText<HTMLSelectElement>('Empresa')
    await waitFor(() => expect(select.selectedOptions[0]?.text).toBe('Ponto Azul'))
    await screen.findByRole('button', { name: 'Limpar filtros' })
  })
  test('a plan that has lost its name is seen as the filter that finds nothing', async () => {
    answers = { payments: { payments: [], total: 0, page: 1, next: null }, figures: { figures } }
    show('?plan=gone')
    await screen.findByText('Nenhum pagamento encontrado')
    expect(screen.getByLabelText<HTMLSelectElement>('Plano').value).toBe('gone')
  })
  test('a press on the amount sorts by it, the highest first by the second one', async () => {
    answers = { payments: { payments: [payment], total: 1, page: 1, next: null }, figures: { figures } }
    show('')
    const asks = (sort: string) => waitFor(() => expect(asked.map(({ query }) => query['sort'])).toContain(sort))
    const head = () => screen.getByRole('button', { name: 'Valor' })
    ;(await screen.findByRole('button', { name: 'Valor' })).click()
    await asks('amount')
    head().click()
    await asks('-amount')
    await waitFor(() =>
      expect(screen.getByRole('columnheader', { name: 'Valor' }).getAttribute('aria-sort')).toBe('descending'),
    )
  })
  test('sorted by day again, the newest first, the list is the one without filters', async () => {
    answers = { payments: { payments: [payment], total: 1, page: 1, next: null }, figures: { figures } }
    show('')
    const unfiltered = await screen.findByRole('link', { name: 'Sem filtros' }, { timeout: 10_000 })
    const head = await screen.findByRole('button', { name: 'Data' })
    for (const current of [null, 'true']) {
      fireEvent.click(head)
      await waitFor(() => expect(unfiltered.getAttribute('aria-current')).toBe(current))
    }
  })
  test('what the provider gives back is read again by itself, but not while updates are paused', async () => {
    vi.useFakeTimers()
    answers = { payments: { payments: [payment], total: 1, page: 1, next: null }, figures: { figures } }
    show('')
    const readsIn30s = async () => {
      const before = asked.length
      await act(() => vi.advanceTimersByTimeAsync(30_000))
      return asked.slice(before).filter(({ path }) => path.startsWith('/api/admin/payments')).length
    }
    await act(() => vi.advanceTimersByTimeAsync(1_000))
    expect(await readsIn30s()).toBe(2)
    act(() => setLiveStatus({ paused: true }))
    expect(await readsIn30s()).toBe(0)
  })
  test('a failure says so and can be tried again', async () => {
    answers = { figures: { figures } }
    show('')
    await screen.findByText('Erro ao carregar pagamentos')
    screen.getByRole('button', { name: 'Tentar Novamente' })
  })
  test('more are loaded behind the last one', async () => {
    answers = { payments: { payments: [payment], total: 2, page: 1, next: payment.id }, figures: { figures } }
    show('')
    ;(await screen.findByRole('button', { name: 'Carregar mais' })).click()
    await waitFor(() => expect(asked.map(({ query }) => query['after'])).toContain(payment.id))
  })
  test('an opened payment shows payer, profile, documents, tries and history', async () => {
    answers = {
      payments: { payments: [payment], total: 1, page: 1, next: null },
      figures: { figures },
      '{id}': { payment: detail },
    }
    show(`?payment=${payment.id}`)
    const sheet = await screen.findByRole('dialog', { name: /R\$\s99,90 de Ponto Central/ })
    for (const text of ['Ana Souza', 'Ponto Central Ltda', '11.222.333/0001-81', 'pi_77', 'Pagamento aprovado'])
      await within(sheet).findByText(text)
    await within(sheet).findByText('Notificação: Pagamento aprovado')
    within(sheet).getByText('000007')
    within(sheet).getByRole('heading', { name: /^Outras tentativas para este plano/ })
    within(sheet).getByText(/^Os atuais da empresa\. Um documento já emitido mantém/)
    within(sheet).getByText('O cartão está vencido.')
  })
  test('an open boleto says when it was due, by which line it is paid, and that it buys nothing any more', async () => {
    const boleto = {
      status: 'PENDING',
      paymentMethod: 'BANK_SLIP',
      expiresAt: '2020-01-11T02:59:59Z',
      bankSlipLine: '00190000090281929450300000000103900000000009990',
      superseded: true,
    } as const
    answers = {
      payments: { payments: [payment], total: 1, page: 1, next: null },
      figures: { figures },
      '{id}': { payment: { ...detail, ...boleto } },
    }
    show(`?payment=${payment.id}`)
    const sheet = within(await screen.findByRole('dialog', { name: /de Ponto Central/ }))
    const due = await sheet.findByText('Venceu em')
    expect(due.nextElementSibling?.textContent).toContain('10/01/2020')
    sheet.getByText('00190.00009 02819.294503 00000.000103 9 00000000009990')
    sheet.getByText(/^Outro pagamento tomou o lugar deste boleto/)
  })
  test.each([
    ['leads to the company', null, 'Ponto Central', 1],
    ['says that the company has ended', '2026-11-25T12:00:00Z', 'Ponto Central (empresa encerrada em 25/11/2026)', 0],
  ])('a payment %s', async (_, companyEndedAt, text, links) => {
    answers = {
      payments: { payments: [payment], total: 1, page: 1, next: null },
      figures: { figures },
      '{id}': { payment: { ...detail, companyEndedAt } },
    }
    show(`?payment=${payment.id}`)
    const sheet = within(await screen.findByRole('dialog', { name: /de Ponto Central/ }))
    await sheet.findByText(text)
    expect(sheet.queryAllByRole('link', { name: 'Ponto Central' })).toHaveLength(links)
  })
})

test('what an address names wrongly is no filter', () => {
  const url = (query: string) => ({ get: (name: string) => new URLSearchParams(query).get(name) })
  expect(filterOf(url('status=paid&method=CASH&from=ontem&search=%20&company=azul'))).toEqual({})
})
