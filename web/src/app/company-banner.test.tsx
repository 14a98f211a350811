// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { CompanyBanner } from './company-banner'

const { company } = vi.hoisted(() => ({ company: { status: 'active' } }))
vi.mock('../auth/company', () => ({ useCompany: () => ({ company }) }))

afterEach(cleanup)

test.each([
  ['suspended', 'Esta empresa está suspensa. Fale com o suporte.'],
  ['inactive', 'Esta empresa está desativada. Fale com o suporte.'],
])('a company that is %s says so on every page', (status, sentence) => {
  company.status = status
  render(<CompanyBanner />)
  expect(screen.getByRole('status').textContent).toBe(sentence)
  expect(screen.getByRole('link', { name: 'Fale com o suporte' }).getAttribute('href')).toBe('/#ajuda')
})

test('an open company has nothing to say', () => {
  company.status = 'active'
  render(<CompanyBanner />)
  expect(screen.queryByRole('status')).toBeNull()
})
