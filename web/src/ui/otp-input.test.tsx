// @vitest-environment happy-dom
import { act, render, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { OtpInput } from './otp-input'

test('leaving it takes no element away: a dialog would take the focus back from what Tab went to', async () => {
  render(<OtpInput value="12" onChange={vi.fn()} onForeign={vi.fn()} />)
  const field = screen.getByRole('textbox')
  const taken = vi.fn<(node: Node) => void>()
  const watch = new MutationObserver((changes) => {
    for (const { removedNodes } of changes) removedNodes.forEach(taken)
  })
  const caret = () => document.querySelector('[class*=animate-pulse]')
  act(() => field.focus())
  await act(() => vi.waitFor(() => expect(caret()).not.toBeNull()))
  watch.observe(document.body, { childList: true, subtree: true })
  act(() => field.blur())
  await vi.waitFor(() => expect(caret()).toBeNull())
  expect(taken).not.toHaveBeenCalled()
})
