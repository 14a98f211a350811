// @vitest-environment happy-dom
import { renderHook } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { ApiError } from '../api/errors'
import { isResetRefused, useSetPassword } from './use-set-password'

test('only the repeat of a call whose answer was lost may have set the password', async () => {
  const call = vi.fn()
  const { result } = renderHook(() => useSetPassword(call, (code: string) => code, isResetRefused))
  const codeAfter = async (answer: string, code: string) => {
    call.mockRejectedValueOnce(new ApiError(answer))
    return result.current(code).catch((error: ApiError) => error.code)
  }
  expect(await codeAfter('INVALID_RESET_TOKEN', '111111')).toBe('INVALID_RESET_TOKEN')
  expect(await codeAfter('NETWORK_ERROR', '222222')).toBe('NETWORK_ERROR')
  expect(await codeAfter('INVALID_RESET_TOKEN', '111111')).toBe('INVALID_RESET_TOKEN')
  expect(await codeAfter('INVALID_RESET_TOKEN', '222222')).toBe('PASSWORD_MAY_BE_SET')
  expect(await codeAfter('VALIDATION_ERROR', '222222')).toBe('VALIDATION_ERROR')
})
