// The command palette (Ctrl+K or Cmd+K): one field, one list, Enter. A chunk that is loaded when it first opens.
import { useState, type KeyboardEvent, type SyntheticEvent } from 'react'
import { useLocation, useNavigate } from 'react-router'
import type { Company } from '../api/companies'
import { useCompany } from '../auth/company'
import { session, useUser } from '../auth/use-session'
import { cx } from '../ui/cx'
import { Dialog } from '../ui/dialog'
import { Input } from '../ui/input'
import { setTheme } from '../ui/theme'
import { liveControls } from '../live/controls'
import { useLiveStatus } from '../live/status'
import { useObservable } from '../lib/observable'
import { paths } from '../lib/paths'
import { commandsFor, matching, type Command } from './commands'

interface CommandPaletteProps {
  /** What was typed before the field was there. */
  typed: string
  onClose: () => void
  /** Shows the keyboard shortcuts. */
  onHelp: () => void
}

export default function CommandPalette(props: CommandPaletteProps) {
  return (
    <Dialog focusEnd onClose={props.onClose} title="O que você quer fazer?">
      <Commands {...props} />
    </Dialog>
  )
}

function Commands({ typed, onClose, onHelp }: CommandPaletteProps) {
  const user = useUser()
  const { companies, company } = useCompany()
  const run = useRun(onClose, onHelp)
  const [question, setQuestion] = useState(typed)
  const { paused } = useLiveStatus()
  const isLive = useObservable(liveControls) !== null
  const sources = { isAdmin: user.userRole === 'admin', companies, selected: company }
  const found = matching(commandsFor({ ...sources, ...(isLive && { paused }) }), question)

  const isAsked = question.trim() !== ''

  const onSubmit = (event: SyntheticEvent) => {
    event.preventDefault()
    if (found[0]) run(found[0])
  }
  return (
    <form onSubmit={onSubmit} className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <Input
        aria-label="Buscar página, empresa ou ação"
        placeholder="Buscar página, empresa ou ação"
        value={question}
        onKeyDown={moveFocus}
        onChange={(event) => setQuestion(event.target.value)}
      />
      {/* Down to the dialog's own edge: what is cut there goes on. */}
      <div className="relative -mb-5 sm:-mb-6">
        <output className={found.length === 0 ? 'absolute inset-x-3 top-2.5 text-muted' : 'sr-only'}>
          {isAsked && found[0] && `Enter: ${found[0].label}, ${found[0].hint}. `}
          {countText(found.length)}
        </output>
        <ul
          role="list"
          aria-label="Comandos"
          className="grid h-75 grid-cols-[minmax(0,1fr)] content-start overflow-y-auto pb-3 low:h-auto"
        >
          {found.map((command, index) => (
            <li key={`${command.hint} ${command.label} ${command.kind === 'company' ? command.company.id : ''}`}>
              <button
                type="button"
                onKeyDown={moveFocus}
                onClick={() => run(command)}
                data-highlighted={(isAsked && index === 0) || undefined}
                className={cx(
                  'flex min-h-10 w-full items-center gap-3 rounded-control px-3 text-left -outline-offset-2 hover:bg-sunken',
                  'data-highlighted:bg-soft data-highlighted:text-on-soft',
                )}
              >
                <span className="min-w-0 flex-1 truncate">{command.label}</span>
                <span className={cx('text-label', !(isAsked && index === 0) && 'text-muted')}>{command.hint}</span>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </form>
  )
}

function countText(found: number): string {
  if (found === 0) return 'Nada encontrado'
  return found === 1 ? '1 opção' : `${found} opções`
}

/** The arrows walk over the field and the buttons; from the field, Enter runs the first one. */
function moveFocus(event: KeyboardEvent<HTMLInputElement | HTMLButtonElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined) return
  event.preventDefault()
  const stops = [...(event.currentTarget.form?.querySelectorAll<HTMLElement>('input, button') ?? [])]
  const next = stops.indexOf(event.currentTarget) + step
  stops[(next + stops.length) % stops.length]?.focus()
}

function useRun(onClose: () => void, onHelp: () => void): (command: Command) => void {
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const { select } = useCompany()
  const choose = (company: Company) => {
    select(company)
    // Nothing in the admin area shows which company is selected.
    if (pathname.startsWith(`${paths.admin}/`)) void navigate(paths.dashboard)
  }
  return (command) => {
    onClose()
    if (command.kind === 'go') void navigate(command.to)
    else if (command.kind === 'company') choose(command.company)
    else if (command.kind === 'theme') setTheme(command.theme)
    else if (command.kind === 'help') onHelp()
    else if (command.kind === 'pause') liveControls.get()?.pause()
    else if (command.kind === 'resume') liveControls.get()?.resume()
    else void session.signOut()
  }
}
