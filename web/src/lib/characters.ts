// Text in characters, as the server counts them: most emoji are one, and JavaScript keeps them as two halves.

export function countCharacters(text: string): number {
  return Array.from(text).length
}

/** The first ones, none of them cut in half: half a character cannot be sent. */
export function firstCharacters(text: string, most: number): string {
  return Array.from(text).slice(0, most).join('')
}
