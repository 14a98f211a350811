import { describe, expect, it } from 'vitest'
import { deviceName } from './device'

describe('the name of a device', () => {
  it.each([
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
      'Chrome no Windows',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0',
      'Edge no Windows',
    ],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox no Linux'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1',
      'Safari no iPhone',
    ],
    [
      'Mozilla/5.0 (Linux; Android 15; SM-S921B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/27.0 Chrome/125.0.0.0 Mobile Safari/537.36',
      'Samsung Internet no Android',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
      'Safari no Mac',
    ],
  ])('of %s is %s', (userAgent, name) => {
    expect(deviceName(userAgent)).toBe(name)
  })

  it('is half known when only half is', () => {
    expect(deviceName('Chrome/141')).toBe('Chrome')
    expect(deviceName('Something on Windows')).toBe('Windows')
  })

  it('is its own text when nothing is known, cut to a line', () => {
    expect(deviceName('curl/8.5.0')).toBe('curl/8.5.0')
    expect(deviceName('x'.repeat(200))).toHaveLength(60)
    expect(deviceName('  ')).toBe('Dispositivo desconhecido')
  })
})
