// @vitest-environment happy-dom
import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { Segmented } from './segmented'

test('the chosen one alone has the edge of a control, whose contrast to its ground is tested', () => {
  const options = [
    { value: 'monthly', label: 'Mensal' },
    { value: 'yearly', label: 'Anual' },
  ]
  render(<Segmented legend="Ciclo de cobrança" options={options} value="yearly" onChange={() => undefined} />)
  const hasEdge = (name: string) => screen.getByLabelText(name).closest('label')?.className.includes('ring-control')
  expect([hasEdge('Mensal'), hasEdge('Anual')]).toEqual([false, true])
})
