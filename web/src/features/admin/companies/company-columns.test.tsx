// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import type { AdminCompany } from '../../../api/admin'
import { companyColumns } from './company-columns'

afterEach(cleanup)

test.each([
  [200, '+200%'],
  [36_720.7, 'mais que triplicou'],
  [-12.5, '-12,5%'],
])('a growth of %d reads "%s"', (growth, text) => {
  const column = companyColumns.find(({ key }) => key === 'growth')
  render(column?.cell({ metrics: { growth } } as AdminCompany))
  expect(screen.getByText(text)).toBeTruthy()
})
