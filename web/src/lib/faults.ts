// What keeps a form from being sent, in one sentence.

export interface Fault {
  /** The field's. */
  label: string
  /** Nothing was filled in; otherwise what was is wrong. */
  isEmpty: boolean
}

/** Names every field once: those without a value, then those whose value is wrong. */
export function faultSentence(faults: readonly Fault[]): string {
  const named = (isEmpty: boolean) => [
    ...new Set(faults.filter((fault) => fault.isEmpty === isEmpty).map(({ label }) => label)),
  ]
  return [['Falta preencher', named(true)] as const, ['Confira', named(false)] as const]
    .filter(([, labels]) => labels.length > 0)
    .map(([what, labels]) => `${what}: ${labels.join(', ')}`)
    .join('. ')
}
