// A figure that is not defined: a dash whose reason comes by pointer, finger and screen reader.
import { Popover } from '../../ui/popover'

export function NoValue({ of, reason }: { of: string; reason: string }) {
  return (
    <Popover
      narrow
      label={of}
      trigger={
        <button
          type="button"
          aria-label={`${of}: ${reason}`}
          title={reason}
          className="relative z-1 -my-0.5 min-h-6 min-w-6 cursor-help text-right rounded-badge"
        >
          —
        </button>
      }
    >
      <p>{reason}</p>
    </Popover>
  )
}
