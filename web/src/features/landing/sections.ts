// The anchors of the landing page, in order. The prices leave with their link when they could not be loaded.

const all = [
  { id: 'solucao', label: 'Solução' },
  { id: 'beneficios', label: 'Benefícios' },
  { id: 'precos', label: 'Preços' },
  { id: 'depoimentos', label: 'Depoimentos' },
  { id: 'perguntas', label: 'Perguntas' },
] as const

export function sections(withPrices: boolean) {
  return all.filter(({ id }) => withPrices || id !== 'precos')
}
