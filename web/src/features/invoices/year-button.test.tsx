// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderAt } from '../../../test/render'
import type { Company } from '../../api/companies'
import { ApiError } from '../../api/errors'
import { YearButton } from './year-button'

const unwrapFile = vi.hoisted(() => vi.fn())
vi.mock('../../api/client', () => ({ api: { GET: vi.fn() }, unwrapFile }))

test('years that were taken too often are held back for the time that the server says', async () => {
  unwrapFile.mockRejectedValue(new ApiError('RATE_LIMITED', { status: 429, retryAfter: 360 }))
  renderAt('/invoices', <YearButton company={{ id: 'c1', createdAt: '2026-01-10T12:00:00Z' } as Company} />)
  const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Baixar por ano' })
  fireEvent.keyDown(button, { key: 'Enter' })
  const [newest] = await screen.findAllByRole('menuitem')
  if (newest) fireEvent.click(newest)
  await waitFor(() => expect(unwrapFile).toHaveBeenCalledOnce())
  const isHeld = () => button.matches(':is([disabled], [aria-disabled]):not([aria-busy])')
  await waitFor(() => expect(isHeld()).toBe(true))
})
