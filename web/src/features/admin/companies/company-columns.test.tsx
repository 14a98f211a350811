// @vitest-environment happy-dom
import { fireEvent, render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { AdminCompany } from '../../../api/admin'
import { companyColumns } from './company-columns'

test.each([
  [200, '+200%'],
  [36_720.7, 'mais que triplicou'],
  [-12.5, '-12,5%'],
])('a growth of %d reads "%s"', (growth, text) => {
  const column = companyColumns.find(({ key }) => key === 'growth')
  render(column?.cell({ metrics: { growth } } as AdminCompany))
  expect(screen.getByText(text)).toBeTruthy()
})

test('why there are no orders is said by pointer, finger and screen reader', () => {
  const column = companyColumns.find(({ key }) => key === 'orders')
  render(column?.cell({ metrics: {} } as AdminCompany))
  const dash = screen.getByRole('button', { name: 'Pedidos: Módulo de pedidos em breve' })
  expect(dash.title).toBe('Módulo de pedidos em breve')
  fireEvent.click(dash)
  expect(screen.getByRole('dialog', { name: 'Pedidos' }).textContent).toBe('Módulo de pedidos em breve')
})

test('a status that only a newer server knows shows itself', () => {
  const shown = (key: string, company: object) =>
    render(companyColumns.find((column) => column.key === key)?.cell(company as AdminCompany))
  shown('name', { name: 'Ponto Azul', email: 'ana@exemplo.com.br', status: 'frozen' })
  shown('subscription', { subscription: { status: 'paused' } })
  screen.getByText('frozen')
  screen.getByText('paused')
})
