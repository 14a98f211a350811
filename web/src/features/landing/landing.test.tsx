// @vitest-environment happy-dom
import { readFileSync } from 'node:fs'
import { fireEvent, render, screen, within } from '@testing-library/react'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { landingMarkup } from '../../ready-markup'
import type { PublicConfig } from '../../api/config'
import type { Plan } from '../../api/plans'
import { LandingFooter } from './landing-footer'
import { LandingHeader } from './landing-header'
import { Prices } from './prices'
import { Questions } from './questions'

const catalogue = readFileSync('../core/src/plan/catalogue.rs', 'utf8')

const plan = (displayName: string, monthlyPrice: number, features: string[]) =>
  ({
    id: displayName,
    displayName,
    description: '',
    features,
    isFree: monthlyPrice === 0,
    isPopular: false,
    monthlyPrice,
    quarterlyPrice: monthlyPrice * 2.55,
    yearlyPrice: monthlyPrice * 9,
    limits: { maxUsers: 5, maxBeeping: monthlyPrice === 0 ? 500 : -1 },
  }) as Plan
const plans = [plan('Grátis', 0, ['Papéis']), plan('Essencial', 49.9, ['Tudo do plano Grátis', 'Resposta em 24 horas'])]

const config = {
  helpEmail: 'ajuda@bipe.com.br',
  environment: 'production',
  issuer: { name: 'Bipe Tecnologia Ltda.', taxId: '12345678000195', address: 'Rua das Flores, 100', email: '' },
} as PublicConfig

test('the ready made page is whole, and promises nothing that its plans or its settings do not hold', () => {
  const page = landingMarkup()
  for (const id of ['solucao', 'beneficios', 'precos', 'depoimentos', 'perguntas', 'ajuda'])
    expect(page).toContain(`id="${id}"`)
  expect(page).not.toMatch(/\.example|mailto:/)
  // Support at any hour is in the lowest plan, and every other plan has all of the plan below it.
  expect(page).toContain('Suporte 24/7')
  const offers = catalogue.match(/\.described\([^[]*\[[^\]]*\]/g) ?? []
  expect(offers).toHaveLength(5)
  expect(offers[0]).toContain('"Suporte 24/7 por email"')
  for (const offer of offers.slice(1)) expect(offer).toContain('"Tudo do plano ')
})

test('a browser that translates the page leaves the mark alone', () => {
  expect(landingMarkup()).toContain('translate="no">bipe<')
})

test('a question is a heading that opens its answer', () => {
  render(<Questions />)
  const questions = screen.getAllByRole('group').map((group) => group as HTMLDetailsElement)
  expect(questions.length).toBeGreaterThan(5)
  for (const { open, firstElementChild } of questions) {
    expect(open).toBe(false)
    expect(firstElementChild?.tagName).toBe('SUMMARY')
    expect(within(firstElementChild as HTMLElement).getByRole('heading', { level: 3 })).toBeTruthy()
  }
  expect(screen.getByText(/^São a conta de um exemplo/).textContent).toContain('R$\u00a011.400,00')
})

test('cards and comparison say what the plans on sale hold, in the chosen cycle', () => {
  render(<Prices plans={plans} salesEmail={null} />)
  const card = screen.getByRole('heading', { name: 'Essencial' }).closest('li') as HTMLElement
  expect(
    within(card)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent),
  ).toEqual(['Tudo do plano Grátis', 'Até 5 usuários', 'Bipagens ilimitadas', 'Resposta em 24 horas'])
  fireEvent.click(screen.getByRole('radio', { name: /^Anual/ }))
  fireEvent.click(screen.getByRole('button', { name: 'Comparar planos' }))
  const table = screen.getByRole('table', { name: 'Comparação de planos, cobrança anual' })
  const rows = within(table)
    .getAllByRole('row')
    .map((row) => Array.from(row.children, ({ textContent }) => textContent))
  expect(rows).toEqual([
    ['Anual', 'Grátis', 'Essencial'],
    ['Preço', 'Grátis', 'R$\u00a0449,10'],
    ['Usuários', '5', '5'],
    ['Bipagens por mês', '500', 'Ilimitadas'],
    ['Papéis', 'Incluído', 'Incluído'],
    ['Resposta em 24 horas', '–Não incluído', 'Incluído'],
  ])
})

test('a start for free is promised only where a free plan is on sale', () => {
  const { rerender } = render(<Prices plans={plans} salesEmail={null} />)
  screen.getByText('Comece de graça. Mude de plano quando o volume mudar.')
  rerender(<Prices plans={plans.filter(({ isFree }) => !isFree)} salesEmail={null} />)
  screen.getByText('Mude de plano quando o volume mudar.')
})

test('help and company come from the settings; a company that is missing is told', () => {
  const { rerender } = render(<LandingFooter withPrices config={null} />)
  expect(screen.queryByText(/Ajuda/)).toBeNull()
  rerender(<LandingFooter withPrices config={config} />)
  expect(screen.getByRole('link', { name: 'ajuda@bipe.com.br' }).getAttribute('href')).toBe(
    'mailto:ajuda@bipe.com.br?subject=Ajuda',
  )
  expect(screen.getByText('Bipe Tecnologia Ltda., CNPJ 12.345.678/0001-95, Rua das Flores, 100')).toBeTruthy()
  const issuer = { name: '', taxId: '', address: '', email: '' }
  rerender(<LandingFooter withPrices config={{ ...config, issuer }} />)
  expect(screen.getByText(/ainda não foram informados/)).toBeTruthy()
})

test('the menu of the sections is closed by Escape, which leaves the keyboard on its button', () => {
  render(<LandingHeader withPrices />)
  const menu = screen.getByLabelText('Menu').parentElement as HTMLDetailsElement
  menu.open = true
  const links = within(menu).getAllByRole('link')
  expect(links.map(({ textContent }) => textContent)).toContain('Perguntas')
  fireEvent.keyDown(links[0] as HTMLElement, { key: 'Escape' })
  expect(menu.open).toBe(false)
  expect(document.activeElement).toBe(screen.getByLabelText('Menu'))
})

test('a cycle that was chosen before the code came counts', () => {
  const prices = <Prices plans={plans} salesEmail={null} />
  const container = document.body.appendChild(document.createElement('div'))
  container.append(...new DOMParser().parseFromString(renderToString(prices), 'text/html').body.childNodes)
  within(container).getByRole<HTMLInputElement>('radio', { name: /^Anual/ }).checked = true
  render(prices, { container, hydrate: true })
  expect(screen.getByRole('link', { name: 'Começar: Essencial' }).getAttribute('href')).toContain('yearly')
})

test('of a server of an older build the foot names the address that it knows, and no company', () => {
  const old = { salesEmail: 'comercial@bipe.com.br', environment: 'production' } as PublicConfig
  render(<LandingFooter withPrices config={old} />)
  screen.getByRole('link', { name: 'comercial@bipe.com.br' })
  screen.getByText('Os dados da empresa que oferece este site ainda não foram informados.')
})
