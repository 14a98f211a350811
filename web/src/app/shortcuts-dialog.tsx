// "Atalhos de teclado": the shortcuts that lead somewhere for this person. A chunk that is loaded when it opens.
import { useCompany } from '../auth/company'
import { Dialog } from '../ui/dialog'
import { shortcutsFor } from './shortcuts'

export default function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const { company } = useCompany()
  return (
    <Dialog
      onClose={onClose}
      focusTitle
      title="Atalhos de teclado"
      description="No Mac, use Cmd no lugar de Ctrl e Option no lugar de Alt."
    >
      <dl className="divide-y divide-line">
        {shortcutsFor(company).map(({ label, keys }) => (
          <div key={label} className="flex min-h-10 items-center justify-between gap-4 py-1.5">
            <dt>{label}</dt>
            <dd className="flex shrink-0 gap-1">
              {keys.map((key) => (
                <kbd
                  key={key}
                  className="min-w-6 rounded-badge border border-control bg-sunken px-1.5 py-0.5 text-center text-caption"
                >
                  {key}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
