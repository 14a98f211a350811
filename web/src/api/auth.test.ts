// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest'
import { changePassword } from './auth'

test('a new password whose answer is lost is sent once: a repeat would find the old one wrong', async () => {
  const sent = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('Failed to fetch'))
  const passwords = { currentPassword: 'Antiga-123', newPassword: 'Nova-12345', confirmPassword: 'Nova-12345' }
  await expect(changePassword(passwords)).rejects.toMatchObject({ code: 'NETWORK_ERROR' })
  expect(sent).toHaveBeenCalledTimes(1)
})
