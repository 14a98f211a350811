// The keyboard shortcuts of the signed-in area, as data. Each needs a modifier, so that none is pressed by speech input
// or by somebody who types (WCAG 2.1.4). Letters go by their place on the keyboard: Option changes what they write.
import type { Company } from '../api/companies'
import { paths } from '../lib/paths'
import { mayOpen } from './may-open'

export type Shortcut = { label: string; keys: readonly string[] } & (
  | { kind: 'palette' | 'help' | 'pause' }
  | { kind: 'go'; to: string }
)

const go = (letter: string, label: string, to: string): Shortcut => ({
  kind: 'go',
  label,
  keys: ['Alt', 'Shift', letter],
  to,
})

export const shortcuts: readonly Shortcut[] = [
  { kind: 'palette', label: 'Buscar página, empresa ou ação', keys: ['Ctrl', 'K'] },
  { kind: 'help', label: 'Mostrar os atalhos', keys: ['Ctrl', '/'] },
  { kind: 'pause', label: 'Pausar ou retomar atualizações', keys: ['Alt', 'Shift', 'U'] },
  go('D', 'Dashboard', paths.dashboard),
  go('P', 'Planos e Assinaturas', paths.plans),
  go('A', 'Assinaturas', paths.subscriptions),
  go('G', 'Pagamentos', paths.payments),
  go('E', 'Gerenciar Empresa', paths.companyManage),
  go('C', 'Minha Conta', paths.account),
]

export type KeyPress = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>

export type Edit = (text: string) => string

/** What a pressed key does to a line of text; undefined for a key that writes nothing. */
export function editOf({ key, ctrlKey, metaKey, altKey }: Omit<KeyPress, 'code' | 'shiftKey'>): Edit | undefined {
  if (ctrlKey || metaKey || altKey) return undefined
  if (key === 'Backspace') return (text) => text.slice(0, -1)
  // A key that writes is named by what it writes.
  return [...key].length === 1 ? (text) => text + key : undefined
}

/** The shortcuts whose page the person may open. */
export function shortcutsFor(company: Company | undefined): Shortcut[] {
  return shortcuts.filter((shortcut) => shortcut.kind !== 'go' || mayOpen(shortcut.to, company))
}

/** The shortcut that the pressed keys are, if any; Cmd counts as Ctrl. */
export function shortcutOf(
  { key, code, ctrlKey, metaKey, altKey, shiftKey }: KeyPress,
  offered: readonly Shortcut[],
): Shortcut | undefined {
  const control = ctrlKey || metaKey
  return offered.find(({ keys }) => {
    const last = keys.at(-1) ?? ''
    if (keys[0] === 'Ctrl') return control && !altKey && key.toUpperCase() === last && (last === '/' || !shiftKey)
    return !control && altKey && shiftKey && code === `Key${last}`
  })
}
