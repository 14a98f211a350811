// How long a walk through screens takes a person: the time of the machine, measured, and that of the hands, computed
// by the keystroke-level model of Card, Moran and Newell (Communications of the ACM 23/7, 1980) instead of waited for.
// What happens outside of the product, such as the way to the mailbox, is not in it.
import { expect, type Locator } from '@playwright/test'

const SECONDS = {
  /** An average typist who is no secretary: 40 words a minute. The model has 0.20 for a skilled one. */
  key: 0.28,
  /** To a target and pressed. */
  point: 1.3,
  /** To make up one's mind, once a screen. */
  mind: 1.35,
}

export class Pace {
  private readonly begun = performance.now()
  private readonly screens: string[] = []
  private keys = 0
  private points = 0
  /** Milliseconds that the machine spent on what the hands are counted for. */
  private acting = 0

  /** A page or a dialog that waits for the person, by its heading. */
  async screen(heading: Locator): Promise<void> {
    await expect(heading).toBeVisible({ timeout: 20_000 })
    this.screens.push((await heading.innerText()).trim())
  }

  /** Into the next field, which the tab key leads to. */
  async type(field: Locator, text: string): Promise<void> {
    // A date field takes its digits in the order of the reader's language.
    const isDate = (await field.getAttribute('type')) === 'date'
    await this.act(field, () => (isDate ? field.fill(text) : field.pressSequentially(text)))
    this.keys += text.length + 1
  }

  async press(target: Locator): Promise<void> {
    await this.act(target, () => target.click())
    this.points += 1
  }

  /** Until the target can be pressed it is the machine's time. */
  private async act(target: Locator, act: () => Promise<void>): Promise<void> {
    await target.click({ trial: true })
    const begun = performance.now()
    await act()
    this.acting += performance.now() - begun
  }

  result(): { screens: readonly string[]; seconds: number; words: string } {
    const machine = (performance.now() - this.begun - this.acting) / 1000
    const hands = this.keys * SECONDS.key + this.points * SECONDS.point + this.screens.length * SECONDS.mind
    const parts = `${machine.toFixed(1)} s of the machine, ${this.keys} keys and ${this.points} presses`
    const seconds = machine + hands
    return {
      screens: this.screens,
      seconds,
      words: `${this.screens.length} screens in ${seconds.toFixed(1)} s (${parts}): ${this.screens.join(' > ')}`,
    }
  }
}
