// Text in characters, as the server counts them: most emoji are one, and JavaScript keeps them as two halves.

export function countCharacters(text: string): number {
  return Array.from(text).length
}
