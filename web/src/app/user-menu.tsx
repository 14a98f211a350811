// The user button of the header: who is signed in, theme, help, sign out.
import { Link } from 'react-router'
import { session, useUser } from '../auth/use-session'
import { HelpIcon, SignOutIcon, UserIcon } from '../ui/icons'
import { Menu, MenuItem, MenuLabel, MenuRadio, MenuSeparator } from '../ui/menu'
import { setTheme, themeLabels, themes, useTheme } from '../ui/theme'
import { helpPath, paths } from '../lib/paths'

export function UserMenu() {
  const user = useUser()
  const theme = useTheme()
  const letters = initials(user.userName)
  return (
    <Menu
      offset={12}
      trigger={
        <button
          type="button"
          aria-label={`${letters} Menu de ${user.userName}`}
          className="grid size-10 shrink-0 place-items-center rounded-full bg-soft font-medium text-on-soft whitespace-nowrap uppercase pointer-coarse:size-11"
        >
          {letters || <UserIcon className="size-5" />}
        </button>
      }
    >
      <div className="grid px-2.5 pt-1.5 pb-2">
        <span className="font-medium wrap-anywhere">{user.userName}</span>
        <span className="text-label wrap-anywhere text-muted">{user.userEmail}</span>
      </div>
      <MenuSeparator />
      <MenuItem asChild>
        <Link to={paths.account}>
          <UserIcon />
          Minha Conta
        </Link>
      </MenuItem>
      <MenuSeparator />
      <MenuLabel>Tema</MenuLabel>
      <MenuRadio
        value={theme}
        onChange={setTheme}
        options={themes.map((value) => ({ value, label: themeLabels[value] }))}
      />
      <MenuSeparator />
      <MenuItem asChild>
        <a href={helpPath}>
          <HelpIcon />
          Ajuda
        </a>
      </MenuItem>
      <MenuItem onSelect={() => void session.signOut()}>
        <SignOutIcon />
        Sair
      </MenuItem>
    </Menu>
  )
}

/** Whole characters: an emoji takes two places of a text. */
function initials(name: string): string {
  const words = name.trim().split(/\s+/)
  return [words[0], words.length > 1 ? words.at(-1) : ''].map((word) => Array.from(word ?? '')[0]).join('')
}
