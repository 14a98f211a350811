// Enter in the forms that charge a card. In a field it sends the form, as everywhere. On a radio or a checkbox browsers
// send the form too, but whoever chooses a card has not said that it is to be charged.
import type { KeyboardEvent } from 'react'

const CHOICES: readonly string[] = ['radio', 'checkbox']

/** For `onKeyDown` of the form. */
export function holdEnterOnChoices(event: KeyboardEvent): void {
  const { key, target } = event
  if (key === 'Enter' && target instanceof HTMLInputElement && CHOICES.includes(target.type)) event.preventDefault()
}
