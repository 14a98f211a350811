// @vitest-environment happy-dom
import { fireEvent, screen } from '@testing-library/react'
import type { ReactElement } from 'react'
import { beforeEach, expect, test, vi } from 'vitest'
import { renderAt } from '../../../test/render'
import { ApiError } from '../../api/errors'
import { LgpdPage } from './lgpd'
import { PrivacyPage } from './privacy'
import { TermsPage } from './terms'

const { get } = vi.hoisted(() => ({ get: vi.fn() }))
vi.mock('../../api/client', () => ({ api: { GET: get }, unwrap: (answer: unknown) => answer }))

const issuer = { name: 'Bipe Tecnologia Ltda.', taxId: '12345678000195', address: 'Rua das Flores, 100', email: '' }
const settings = { issuer, helpEmail: 'ajuda@bipe.com.br', minAge: 16, environment: 'production' }

function show(page: ReactElement) {
  renderAt('/', page)
}

beforeEach(() => get.mockReset())

test.each([
  ['the terms', <TermsPage key="terms" />, /^O Bipe é oferecido por/],
  ['the privacy policy', <PrivacyPage key="privacy" />, /^Quem responde pelos dados é/],
  ['the LGPD terms', <LgpdPage key="lgpd" />, /^O controlador dos dados é/],
])('%s name the company with its tax id, its address and where to write to', async (_, page, start) => {
  get.mockResolvedValue(settings)
  show(page)
  const naming = await screen.findByText(start)
  expect(naming.textContent).toContain('Bipe Tecnologia Ltda., CNPJ 12.345.678/0001-95, Rua das Flores, 100')
  expect(screen.getByRole('link', { name: 'ajuda@bipe.com.br' }).getAttribute('href')).toBe('mailto:ajuda@bipe.com.br')
  expect(document.body.textContent).not.toMatch(/[{}]|modelo|\.example/)
})

test('the terms say from which age on they are for, whoever is behind them', async () => {
  get.mockResolvedValue({ ...settings, issuer: { name: '', taxId: '', address: '', email: '' } })
  show(<TermsPage />)
  expect(await screen.findByText(/^Para usar o Bipe é preciso ter 16 anos ou mais, informar/)).toBeTruthy()
})

test('a text that names nobody yet says so, and in development what to set', async () => {
  const unnamed = { ...settings, issuer: { name: '', taxId: '', address: '', email: '' }, environment: 'development' }
  get.mockResolvedValue(unnamed)
  show(<TermsPage />)
  const warning = await screen.findByText(/ainda não foram informados/)
  expect(warning.textContent).toContain('BIPE_LEGAL_NAME')
  expect(screen.getByRole('link', { name: 'ajuda@bipe.com.br' })).toBeTruthy()
})

test('the text can be read without an answer of the server, which can be asked again', async () => {
  get.mockRejectedValueOnce(new ApiError('NETWORK_ERROR'))
  get.mockResolvedValueOnce(settings)
  show(<PrivacyPage />)
  expect(screen.getByText(/^Dados de cobrança da empresa: CNPJ ou CPF/)).toBeTruthy()
  expect(await screen.findByText('Erro ao carregar os dados da empresa')).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Tentar Novamente' }))
  expect(await screen.findByText(/^Quem responde pelos dados é Bipe Tecnologia/)).toBeTruthy()
})

test('the keyboard gets past the header to the text', () => {
  get.mockResolvedValue(settings)
  show(<TermsPage />)
  fireEvent.click(screen.getByRole('link', { name: 'Pular para o conteúdo' }))
  expect(document.activeElement).toBe(screen.getByRole('main'))
})
