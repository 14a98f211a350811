// @vitest-environment happy-dom
import { act, cleanup } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { emptyCache } from '../../test/cache'
import { renderWith } from '../../test/render'
import { isOutdated } from '../lib/outdated'
import { NewVersionBanner } from './new-version-banner'
import { OfflineBanner } from './offline-banner'

afterEach(() => {
  cleanup()
  isOutdated.set(false)
})

const goOffline = () => {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  window.dispatchEvent(new Event('offline'))
}

test.each([
  ['Você está sem internet.', <OfflineBanner key="offline" />, goOffline],
  ['Nova versão disponível', <NewVersionBanner key="version" />, () => isOutdated.set(true)],
])('%s is said in a live region that was there before', (words, banner, happen) => {
  const { container } = renderWith(emptyCache(), banner)
  const region = container.querySelector('[aria-live="polite"]')
  expect(region?.textContent).toBe('')
  act(happen)
  expect(region?.textContent).toContain(words)
})
