// @vitest-environment happy-dom
import { act, render, screen } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { pass } from '../../test/pass'
import { Announcer } from './announcer'
import { Field } from './field'
import { Input } from './input'
import { useFocusFirstError } from './use-focus-first-error'

beforeEach(() => void vi.useFakeTimers())

function Form({ error }: { error?: string }) {
  const form = useFocusFirstError<HTMLDivElement>(error)
  return (
    <div ref={form}>
      <Field label="Código" error={error}>
        <Input />
      </Field>
      <Announcer />
    </div>
  )
}

test('of the errors that a field had one after the other, the last one is said', async () => {
  const { rerender } = render(<Form />)
  act(() => screen.getByRole('textbox').focus())
  rerender(<Form error="Este campo é obrigatório" />)
  await pass(0)
  rerender(<Form error="Código deve ter 6 dígitos" />)
  await pass(0)
  rerender(<Form error="Código inválido, expirado ou já usado" />)
  await pass(5_000)
  expect(screen.getByRole('status').textContent).toBe('Código inválido, expirado ou já usado')
})
