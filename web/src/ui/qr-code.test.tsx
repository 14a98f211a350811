// @vitest-environment happy-dom
import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import QrCode from './qr-code'

test('a code is no wider than its place', () => {
  render(<QrCode value="00020126" size={240} title="QR Code do PIX" />)
  const picture = screen.getByRole('img')
  expect(picture.getAttribute('width')).toBe('240')
  expect(picture.classList.contains('max-w-full')).toBe(true)
})
