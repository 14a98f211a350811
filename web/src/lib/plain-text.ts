// What a copied text brings along unseen.

/** Marks without a shape that turn the direction of a text. The server refuses them: two texts could look alike. */
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f]/g

/** Without the spaces around it, and without the marks that programs put around copied numbers and names. */
export function plainText(text: string): string {
  return text.replace(DIRECTION_MARKS, '').trim()
}

/** A number without its mask: no dots, slashes, spaces, dashes of any kind, or marks without a shape. */
export function unmasked(text: string): string {
  return text.replace(/[\p{Pd}\p{Cf}\u2212./\s]/gu, '')
}
