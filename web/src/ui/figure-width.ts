/** How wide a bold figure is in the widest of the system fonts, in its size. Style sheets cannot measure a text. */
export const figureWidth = (text: string): number => text.length * 0.65
