// @vitest-environment happy-dom
import { fireEvent, render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { Field } from './field'
import { Input } from './input'

const field = (error?: string) => (
  <Field label="Email" error={error}>
    <Input />
  </Field>
)

test('an error waits for the release of the pointer', async () => {
  const view = render(field())
  fireEvent.pointerDown(document.body)
  view.rerender(field('Email inválido'))
  expect(screen.queryByText('Email inválido')).toBeNull()
  fireEvent.pointerUp(document.body)
  await screen.findByText('Email inválido')
})

test('an error is shown although the menu of the browser has taken the release', async () => {
  const view = render(field())
  fireEvent.pointerDown(screen.getByLabelText('Email'))
  fireEvent.contextMenu(screen.getByLabelText('Email'))
  view.rerender(field('Email inválido'))
  await screen.findByText('Email inválido')
})
