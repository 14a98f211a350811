// What a copied text brings along unseen.

/** They turn the direction of what follows and have no shape. The server refuses them: a text could look like another. */
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f]/g

/** Programs put these marks around the numbers and names that people copy from them. */
export function withoutDirectionMarks(text: string): string {
  return text.replace(DIRECTION_MARKS, '')
}
