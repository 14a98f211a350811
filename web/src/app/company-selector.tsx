// The company of this tab, at the top of the sidebar: choose, edit (administrators), create.
import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import { Link, useNavigate } from 'react-router'
import { useCompany } from '../auth/company'
import type { Company } from '../api/companies'
import { companyRoleLabels } from '../lib/labels'
import { searchable } from '../lib/names'
import { announce } from '../ui/announcer'
import { buttonClass } from '../ui/button'
import { cx } from '../ui/cx'
import { leaveToHeading } from '../ui/focus-heading'
import { AddIcon, CheckIcon, ChooseIcon, CompanyIcon, ManageIcon } from '../ui/icons'
import { Input } from '../ui/input'
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../ui/menu'
import { Skeleton } from '../ui/skeleton'
import { Tooltip } from '../ui/tooltip'
import { useAnnounceFailure } from '../ui/use-announce-failure'
import { paths } from '../lib/paths'

const FAILED = 'Erro ao carregar empresas'
const NONE_FOUND = 'Nenhuma empresa encontrada'
const FILTER_FROM = 8

interface CompanySelectorProps {
  rail?: boolean
  onNavigate?: (() => void) | undefined
}

export function CompanySelector({ rail = false, onNavigate }: CompanySelectorProps) {
  const { query, companies, company } = useCompany()
  const hideable = rail ? 'md:max-lg:hidden' : ''
  const isRead = query.data !== undefined
  useAnnounceFailure(FAILED, query.isError && !isRead, isRead)
  if (query.isPending) return <Skeleton className="h-12 w-full" />
  if (!isRead) {
    const retry = async (button: Element) => {
      leaveToHeading(button)
      if ((await query.refetch()).error) announce(FAILED)
    }
    return (
      <div className={cx('grid gap-1 text-label', hideable)}>
        <p className="text-danger">{FAILED}</p>
        <button type="button" className="link justify-self-start" onClick={(event) => void retry(event.currentTarget)}>
          Tentar Novamente
        </button>
      </div>
    )
  }
  if (company === undefined) {
    return (
      <Link
        to={paths.companyCreate}
        onClick={onNavigate}
        title={rail ? 'Criar Primeira Empresa' : undefined}
        className={buttonClass({ variant: 'secondary', size: 'small' }, 'w-full')}
      >
        <AddIcon />
        <span className={rail ? 'md:max-lg:sr-only' : ''}>Criar Primeira Empresa</span>
      </Link>
    )
  }
  return (
    <div className="flex items-center gap-1">
      {/* On a rail there is the icon alone, and elsewhere a long name is cut. Around the button: it says its name. */}
      <div title={company.companyName} className="flex min-w-0 flex-1">
        <CompanyMenu companies={companies} company={company} rail={rail} onNavigate={onNavigate} />
      </div>
      {company.userRole === 'admin' && (
        <Tooltip text={`Editar ${company.companyName}`}>
          <Link
            to={paths.companyManage}
            onClick={onNavigate}
            aria-label={`Editar ${company.companyName}`}
            className={cx(
              'grid size-9 shrink-0 place-items-center rounded-control text-muted hover:bg-sunken hover:text-text',
              hideable,
            )}
          >
            <ManageIcon className="size-4.5" />
          </Link>
        </Tooltip>
      )}
    </div>
  )
}

interface CompanyMenuProps extends CompanySelectorProps {
  companies: Company[]
  company: Company
}

function CompanyMenu({ companies, company, rail, onNavigate }: CompanyMenuProps) {
  const { select } = useCompany()
  const navigate = useNavigate()
  const [filter, setFilter] = useState('')
  const shown = companies.filter(({ companyName }) => searchable(companyName).includes(searchable(filter.trim())))
  const isNoneFound = shown.length === 0
  useEffect(() => {
    if (isNoneFound) announce(NONE_FOUND)
  }, [isNoneFound])
  const hideable = rail ? 'md:max-lg:hidden' : ''
  const field = useRef<HTMLInputElement>(null)
  /** After the menu has taken the focus. Under a finger the keyboard of the screen would cover the companies. */
  const begin = () => {
    setFilter('')
    if (!matchMedia('(pointer: coarse)').matches) setTimeout(() => field.current?.focus())
  }
  const backToField = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowUp' || !field.current) return
    event.preventDefault()
    field.current.focus()
  }
  return (
    <Menu
      align="start"
      className="w-64"
      onOpenChange={(open) => open && begin()}
      trigger={
        <button
          type="button"
          className={cx(
            'flex min-h-12 min-w-0 flex-1 items-center gap-2.5 rounded-control border border-line px-2.5 py-1.5 text-left hover:bg-sunken',
            rail && 'md:max-lg:justify-center md:max-lg:px-0',
          )}
        >
          <CompanyIcon className="size-5 shrink-0 text-muted" />
          <span className={cx('grid min-w-0 flex-1', rail && 'md:max-lg:sr-only')}>
            <span className="truncate font-medium">
              <span className="sr-only">Empresa atual: </span>
              {company.companyName}
            </span>
            <span className="text-caption text-muted">{companyRoleLabels[company.userRole]}</span>
          </span>
          <ChooseIcon className={cx('size-4 shrink-0 text-muted', hideable)} />
        </button>
      }
    >
      <MenuLabel>Suas Empresas</MenuLabel>
      {companies.length >= FILTER_FROM && (
        <div className="px-1 pb-1.5">
          <Input
            aria-label="Filtrar empresas"
            placeholder="Filtrar"
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Escape' || event.key === 'Tab') return
              event.stopPropagation()
              if (event.key !== 'ArrowDown') return
              event.preventDefault()
              event.currentTarget.closest('[role="menu"]')?.querySelector<HTMLElement>('[role="menuitem"]')?.focus()
            }}
            ref={field}
          />
        </div>
      )}
      {shown.map((option, index) => (
        <MenuItem
          key={option.id}
          onKeyDown={index === 0 ? backToField : undefined}
          onSelect={() => {
            onNavigate?.()
            select(option)
          }}
          aria-current={option.id === company.id ? 'true' : undefined}
        >
          <span className="grid min-w-0 flex-1">
            <span className="line-clamp-2 wrap-anywhere">{option.companyName}</span>
            <span className="text-caption text-muted">{companyRoleLabels[option.userRole]}</span>
          </span>
          <CheckIcon className={option.id === company.id ? '' : 'invisible'} />
        </MenuItem>
      ))}
      {isNoneFound && <p className="px-2.5 py-2 text-muted">{NONE_FOUND}</p>}
      <MenuSeparator />
      <MenuItem
        onKeyDown={isNoneFound ? backToField : undefined}
        onSelect={() => {
          onNavigate?.()
          void navigate(paths.companyCreate)
        }}
      >
        <AddIcon />
        Criar Nova Empresa
      </MenuItem>
    </Menu>
  )
}
