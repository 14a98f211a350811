// @vitest-environment happy-dom
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import { Controller } from 'react-hook-form'
import { expect, test } from 'vitest'
import { z } from '../lib/zod'
import { Announcer } from '../ui/announcer'
import { Field } from '../ui/field'
import { Input } from '../ui/input'
import { ApiError } from './errors'
import { useApiForm } from './use-api-form'

const schema = z.object({ taxId: z.string().check(z.minLength(1)), name: z.string().check(z.minLength(1)) })

/** The second field is known to the form before the first. */
function Form({ send = async () => {} }: { send?: () => Promise<void> }) {
  const { control, register, errors, handleSubmit } = useApiForm(schema, { defaultValues: { taxId: '', name: '' } })
  return (
    <form noValidate onSubmit={handleSubmit(send)}>
      <Field label="CPF" error={errors.taxId && 'obrigatório'}>
        <Controller control={control} name="taxId" render={({ field }) => <Input {...field} />} />
      </Field>
      <Field label="Nome" error={errors.name && 'obrigatório'}>
        <Input {...register('name')} />
      </Field>
      <button type="submit">Salvar</button>
    </form>
  )
}

test('a form that is not sent leads to its first wrong field, in the order of the form', async () => {
  render(<Form />)
  const send = () => fireEvent.click(screen.getByRole('button'))
  const hasFocus = (label: string) => waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText(label)))
  send()
  await hasFocus('CPF')
  fireEvent.change(screen.getByLabelText('CPF'), { target: { value: '1' } })
  send()
  await hasFocus('Nome')
})

test('so it does when a pointer sends it, whose release the errors wait for', async () => {
  render(<Form />)
  const button = screen.getByRole('button')
  for (const type of ['pointerdown', 'pointerup']) button.dispatchEvent(new PointerEvent(type, { bubbles: true }))
  fireEvent.click(button)
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('CPF')))
})

test('a refusal leads to the first field that the server names, and is announced to who is there already', async () => {
  const fields = { name: 'REQUIRED', taxId: 'REQUIRED' }
  const send = () => Promise.reject(new ApiError('VALIDATION_ERROR', { fields }))
  render(
    <>
      <Form send={send} />
      <Announcer />
    </>,
  )
  const [taxId, name] = [screen.getByLabelText('CPF'), screen.getByLabelText('Nome')]
  for (const field of [taxId, name]) fireEvent.change(field, { target: { value: '1' } })
  fireEvent.click(screen.getByRole('button'))
  await waitFor(() => expect(document.activeElement).toBe(taxId))
  fireEvent.submit(taxId)
  await waitFor(() => expect(screen.getByText('obrigatório', { selector: 'output' })).toBeTruthy())
})
