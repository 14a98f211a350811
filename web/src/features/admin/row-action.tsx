// A small icon button of a table row; its name says on whom it acts.
import { Button } from '../../ui/button'
import type { Icon } from '../../ui/icons'
import { Tooltip } from '../../ui/tooltip'

export interface RowActionProps {
  label: string
  icon: Icon
  disabled?: boolean
  onClick: () => void
}

/** A disabled one keeps its tooltip: it says why. */
export function RowAction({ label, icon: Glyph, disabled, onClick }: RowActionProps) {
  return (
    <Tooltip text={label}>
      <Button
        variant="ghost"
        size="small"
        aria-label={label}
        aria-disabled={disabled || undefined}
        className="w-8 px-0 pointer-coarse:size-10"
        onClick={disabled ? undefined : onClick}
      >
        <Glyph className="size-4" />
      </Button>
    </Tooltip>
  )
}
