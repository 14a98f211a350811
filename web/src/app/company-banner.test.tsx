// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { CompanyBanner } from './company-banner'

const { company } = vi.hoisted(() => ({ company: { status: 'active' } }))
vi.mock('../auth/company', () => ({ useCompany: () => ({ company }) }))

afterEach(() => {
  cleanup()
  company.status = 'active'
})

test.each([
  ['suspended', 'Esta empresa está suspensa. Fale com o suporte.'],
  ['inactive', 'Esta empresa está desativada. Fale com o suporte.'],
])('a company that is %s says so on every page, in a live region that was there before', (status, sentence) => {
  const { container, rerender } = render(<CompanyBanner />)
  const region = container.querySelector('[aria-live="polite"]')
  expect(region?.textContent).toBe('')
  company.status = status
  rerender(<CompanyBanner />)
  expect(region?.textContent).toBe(sentence)
  expect(screen.getByRole('link', { name: 'Fale com o suporte' }).getAttribute('href')).toBe('/#ajuda')
})

test('an open company has nothing to say', () => {
  const { container } = render(<CompanyBanner />)
  expect(container.textContent).toBe('')
})
