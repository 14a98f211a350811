// What a copied text brings along unseen.

/**
 * Marks without a shape: those that say where a line may break, and those that turn the direction of a text. The
 * server refuses the latter, because two texts could look alike.
 */
const MARKS = /[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g

/** What the server refuses beside them; a note keeps its lines. */
const CONTROLS = /(?:(?![\n\r])[\p{Cc}\u2028\u2029])+/gu

/** Without the spaces around it, and without what programs put into copied numbers, names and addresses. */
export function plainText(text: string): string {
  return text.replace(MARKS, '').replace(CONTROLS, ' ').trim()
}

/** A number without its mask: no dots, slashes, spaces, dashes of any kind, or marks without a shape. */
export function unmasked(text: string): string {
  return text.replace(/[\p{Pd}\p{Cf}\u2212./\s]/gu, '')
}
