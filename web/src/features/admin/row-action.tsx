// A small icon button of a table row; its name says on whom it acts.
import { IconButton } from '../../ui/icon-button'
import type { Icon } from '../../ui/icons'

interface RowActionProps {
  label: string
  icon: Icon
  disabled?: boolean
  onClick: () => void
}

/** A disabled one keeps its tooltip: it says why. */
export function RowAction({ label, icon: Glyph, disabled, onClick }: RowActionProps) {
  return (
    <IconButton
      label={label}
      size="small"
      aria-disabled={disabled || undefined}
      className="w-8 px-0 pointer-coarse:size-10"
      onClick={disabled ? undefined : onClick}
    >
      <Glyph className="size-4" />
    </IconButton>
  )
}
