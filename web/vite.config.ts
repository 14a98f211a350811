/// <reference types="vitest/config" />
// Build and development server. The production server replaces the nonce placeholder in every copy of
// index.html that it serves; the development server proxies the calls to a running `bipe serve`.
import { readFileSync } from 'node:fs'
import { defineConfig } from 'vite'
import react from '@vitejs/plugin-react'
import tailwindcss from '@tailwindcss/vite'

const server = process.env.BIPE_SERVER ?? 'http://127.0.0.1:8080'
const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as { version: string }
const proxied = ['/api', '/version', '/dev', '/sandbox', '/health']

export default defineConfig({
  plugins: [react(), tailwindcss()],
  define: { BIPE_VERSION: JSON.stringify(version) },
  html: { cspNonce: '__CSP_NONCE__' },
  server: {
    port: 5173,
    proxy: Object.fromEntries(proxied.map((path) => [path, { target: server, ws: path === '/api' }])),
  },
  build: {
    target: 'es2022',
    sourcemap: false,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    manifest: true,
  },
  test: {
    include: ['src/**/*.test.{ts,tsx}', 'test/**/*.test.ts'],
    environment: 'node',
    restoreMocks: true,
  },
})
