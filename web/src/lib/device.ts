// What a browser calls itself, in words: "Chrome no Windows". Only the well-known ones; anything else shows its own
// text. Order matters: most browsers also name the ones that they descend from. The mails say the same:
// core/src/mail_pt_br/device.rs, held together by core/tests/vectors/devices.json.

const BROWSERS: readonly [mark: RegExp, name: string][] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\/|\bOpera\b/, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bChrome\/|\bCriOS\/|\bHeadlessChrome\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]

const SYSTEMS: readonly [mark: RegExp, name: string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b|\bMacintosh\b/, 'Mac'],
  [/\bLinux\b/, 'Linux'],
]

const LONGEST = 60

export function deviceName(userAgent: string): string {
  const browser = BROWSERS.find(([mark]) => mark.test(userAgent))?.[1]
  const system = SYSTEMS.find(([mark]) => mark.test(userAgent))?.[1]
  if (browser && system) return `${browser} no ${system}`
  return browser ?? system ?? (userAgent.trim().slice(0, LONGEST) || 'Dispositivo desconhecido')
}
