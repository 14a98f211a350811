// Says that nothing is real while the sandbox is the provider.
export function TestRibbon() {
  return (
    <p className="rounded-badge border border-dashed border-beam px-3 py-1.5 text-center text-label font-medium text-beam-text">
      Ambiente de testes
    </p>
  )
}
