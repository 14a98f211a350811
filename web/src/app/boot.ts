// What must happen before any other module runs: the style nonce for the libraries that insert <style>, and
// the default Trusted Types policy. Imported first by `main.ts`; nothing here may import the product.
import { setNonce } from 'get-nonce'

const meta = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')
if (meta?.nonce) setNonce(meta.nonce)

interface TrustedTypes {
  createPolicy: (name: string, rules: Record<string, (text: string) => string>) => unknown
}

function refuse(kind: string): (text: string) => string {
  return (text) => {
    throw new TypeError(`refused ${kind}: ${text.slice(0, 80)}`)
  }
}

/** Style text passes, markup and scripts never do. */
function styleTextOnly(text: string): string {
  if (text.includes('<')) return refuse('HTML')(text)
  return text
}

const trustedTypes = (window as { trustedTypes?: TrustedTypes }).trustedTypes
trustedTypes?.createPolicy('default', {
  createHTML: styleTextOnly,
  createScript: refuse('script'),
  createScriptURL: refuse('script URL'),
})
