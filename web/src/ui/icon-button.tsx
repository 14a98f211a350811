// A button that is only an icon: always named, always with a tooltip of the same words.
import type { ButtonProps } from './button'
import { Button } from './button'
import { Tooltip } from './tooltip'

export function IconButton({ label, ...rest }: ButtonProps & { label: string }) {
  return (
    <Tooltip text={label}>
      <Button variant="ghost" size="icon" aria-label={label} {...rest} />
    </Tooltip>
  )
}
