// The saved views of a list as links, the one that is on the screen marked, and the button that saves the present one.
import { useEffect, useRef, useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { savedViewsQuery, type SavedView, type ViewedList } from '../../../api/saved-views'
import { byName } from '../../../lib/names'
import { announce } from '../../../ui/announcer'
import { Button } from '../../../ui/button'
import { cx } from '../../../ui/cx'
import { leaveToHeading } from '../../../ui/focus-heading'
import { AddIcon, DownIcon } from '../../../ui/icons'
import { Menu, MenuItem } from '../../../ui/menu'
import { Tooltip } from '../../../ui/tooltip'
import { useAnnounceFailure } from '../../../ui/use-announce-failure'
import { useUrlState } from '../../../ui/url-state'
import { ReplaceView, RemoveView, SaveView } from './saved-view-dialogs'
import { SavedViewsSkeleton } from './saved-views'
import { filtersOf, queryOf } from './view-filters'

const FAILED = 'Erro ao carregar visualizações'

type Act = 'rename' | 'replace' | 'remove'

export default function SavedViewsBar({ list }: { list: ViewedList }) {
  const filters = filtersOf(useUrlState(), list)
  const query = useQuery(savedViewsQuery())
  const [asked, ask] = useState<{ act: 'save' } | { act: Act; view: SavedView } | null>(null)
  const close = () => ask(null)
  const isRead = query.data !== undefined
  useAnnounceFailure(FAILED, query.isError && !isRead, isRead)
  const retry = async (button: Element) => {
    leaveToHeading(button)
    if ((await query.refetch()).error) announce(FAILED)
  }
  const here = queryOf(filters, list)
  const views = (query.data ?? []).filter((view) => view.list === list)
  const shown = views.find((view) => queryOf(view.filters, list) === here)
  return (
    <>
      {query.isPending ? (
        <SavedViewsSkeleton />
      ) : (
        <section aria-label="Visualizações" className="flex h-11 items-center gap-2">
          {!isRead ? (
            <p className="flex min-w-0 flex-1 items-center gap-2 text-label text-danger">
              <span className="truncate">{FAILED}</span>
              <Button variant="secondary" size="small" onClick={({ currentTarget }) => void retry(currentTarget)}>
                Tentar Novamente
              </Button>
            </p>
          ) : (
            <Views
              views={views.toSorted((left, right) => byName(left.name, right.name))}
              list={list}
              here={here}
              shownId={shown?.id}
              onAct={(act, view) => ask({ act, view })}
            />
          )}
          <SaveButton unsaved={here !== '' && !shown} shown={shown} onClick={() => ask({ act: 'save' })} />
        </section>
      )}
      {asked?.act === 'save' && <SaveView list={list} filters={filters} onClose={close} />}
      {asked?.act === 'rename' && (
        <SaveView list={list} view={asked.view} filters={asked.view.filters} onClose={close} />
      )}
      {asked?.act === 'replace' && <ReplaceView view={asked.view} filters={filters} onClose={close} />}
      {asked?.act === 'remove' && <RemoveView view={asked.view} onClose={close} />}
    </>
  )
}

interface ViewsProps {
  views: readonly SavedView[]
  list: ViewedList
  /** The query of the address, of which a view may be the name. */
  here: string
  shownId: string | undefined
  onAct: (act: Act, view: SavedView) => void
}

function Views({ views, list, here, shownId, onAct }: ViewsProps) {
  const row = useRef<HTMLUListElement>(null)
  // A view that was just saved may be beside the screen.
  useEffect(() => {
    const shown = row.current?.querySelector<HTMLElement>(`[data-view="${shownId ?? ''}"]`)
    if (shown) row.current?.scrollTo({ left: shown.offsetLeft - row.current.offsetLeft })
  }, [shownId])
  return (
    <nav aria-label="Visualizações salvas" className="min-w-0 flex-1">
      <ul ref={row} className="-m-1 flex gap-2 overflow-x-auto p-1 [scrollbar-width:thin]">
        <li className={chip(here === '')}>
          <ViewLink query="" current={here === ''}>
            Sem filtros
          </ViewLink>
        </li>
        {views.map((view) => {
          const query = queryOf(view.filters, list)
          return (
            <li key={view.id} data-view={view.id} className={chip(view.id === shownId)}>
              <ViewLink query={query} current={view.id === shownId}>
                {view.name}
              </ViewLink>
              <ViewMenu view={view} canReplace={here !== '' && query !== here} onAct={onAct} />
            </li>
          )
        })}
      </ul>
    </nav>
  )
}

function chip(isCurrent: boolean): string {
  return cx(
    'flex h-8 shrink-0 items-center rounded-control border text-label pointer-coarse:h-10',
    isCurrent ? 'border-transparent bg-soft font-medium text-on-soft' : 'border-line bg-surface',
  )
}

function ViewLink({ query, current, children }: { query: string; current: boolean; children: string }) {
  return (
    <Link
      to={{ search: query }}
      replace
      preventScrollReset
      aria-current={current || undefined}
      title={children}
      className="flex h-full max-w-56 items-center rounded-control px-3 hover:underline"
    >
      <span className="truncate">{children}</span>
    </Link>
  )
}

function ViewMenu({ view, canReplace, onAct }: { view: SavedView; canReplace: boolean; onAct: ViewsProps['onAct'] }) {
  return (
    <Menu
      trigger={
        <button
          type="button"
          aria-label={`Opções de ${view.name}`}
          className="grid h-full w-8 place-items-center rounded-control hover:bg-sunken pointer-coarse:w-10"
        >
          <DownIcon className="size-4" />
        </button>
      }
    >
      <MenuItem onSelect={() => onAct('rename', view)}>Renomear</MenuItem>
      <MenuItem disabled={!canReplace} onSelect={() => onAct('replace', view)}>
        Usar os filtros atuais
      </MenuItem>
      <MenuItem onSelect={() => onAct('remove', view)}>Excluir</MenuItem>
    </Menu>
  )
}

interface SaveButtonProps {
  unsaved: boolean
  shown: SavedView | undefined
  onClick: () => void
}

/** The button keeps its place when there is nothing to save, and says why. */
function SaveButton({ unsaved, shown, onClick }: SaveButtonProps) {
  const why = shown ? `Já salva como ${shown.name}` : 'Busque, filtre ou ordene a lista para salvar'
  const button = (
    <Button
      variant="secondary"
      size="small"
      aria-label="Salvar visualização"
      aria-disabled={!unsaved || undefined}
      onClick={unsaved ? onClick : undefined}
    >
      <AddIcon />
      <span>
        Salvar<span className="max-sm:sr-only"> visualização</span>
      </span>
    </Button>
  )
  return unsaved ? button : <Tooltip text={why}>{button}</Tooltip>
}
