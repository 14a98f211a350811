// A busy machine is no defect: what a test waits for on its page may take many times the second that the library grants.
if ('document' in globalThis) {
  const { configure } = await import('@testing-library/react')
  configure({ asyncUtilTimeout: 20_000 })
}

export {}
