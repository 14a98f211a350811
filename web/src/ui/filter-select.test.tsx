// @vitest-environment happy-dom
import { fireEvent, render, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { FilterSelect, type FilterSelectProps } from './filter-select'

const plans: FilterSelectProps['options'] = [['essencial', 'Essencial']]
const select = () => screen.getByLabelText<HTMLSelectElement>('Plano')
const texts = () => Array.from(select().options, ({ text }) => text)

test('a value that no option has is shown, and can be taken back', () => {
  const onChange = vi.fn()
  render(<FilterSelect label="Plano" all="Todos" options={plans} value="gone" onChange={onChange} />)
  expect(select().value).toBe('gone')
  expect(texts()).toEqual(['Todos', 'gone', 'Essencial'])
  fireEvent.change(select(), { target: { value: '' } })
  expect(onChange).toHaveBeenCalledWith('')
})

test('options that come later give the value its name', () => {
  const show = (options: FilterSelectProps['options']) => (
    <FilterSelect label="Plano" all="Todos" options={options} value="essencial" onChange={() => undefined} />
  )
  const { rerender } = render(show([]))
  expect(texts()).toEqual(['Todos', 'essencial'])
  rerender(show(plans))
  expect(select().value).toBe('essencial')
  expect(texts()).toEqual(['Todos', 'Essencial'])
})
