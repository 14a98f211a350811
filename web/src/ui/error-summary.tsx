// The wrong fields of a form that was sent, each with the way to it, where there are more than one look takes in. The
// list shrinks as they are put right, and is gone when few are left.
import { useEffect, useState } from 'react'
import { Alert } from './alert'
import { useIntoSight } from './use-into-sight'

/** So many are told by the focus on the first one and the sentences below the fields. */
const FEW = 3

interface WrongField {
  id: string
  label: string
}

/** Inside of the form, above its fields. */
export function ErrorSummary({ form: { formState } }: { form: { formState: { isSubmitted: boolean } } }) {
  const { isSubmitted } = formState
  const [wrong, setWrong] = useState<readonly WrongField[]>([])
  const isShown = isSubmitted && wrong.length > FEW
  // The focus is on the first wrong field, and the list came above it.
  const place = useIntoSight<HTMLDivElement>(isShown)
  // Read from the page: a field shows its error later than the form knows it, and only the page has its label.
  useEffect(() => {
    const form = place.current?.closest('form')
    if (!form) return
    const observer = new MutationObserver(() => setWrong(wrongFieldsOf(form)))
    observer.observe(form, { attributes: true, attributeFilter: ['aria-invalid'], childList: true, subtree: true })
    return () => observer.disconnect()
  }, [place])
  return (
    <div ref={place} className="empty:hidden">
      {isShown && (
        <Alert
          tone="danger"
          role="none"
          title={`Confira ${wrong.length} campos`}
          actions={wrong.map(({ id, label }) => (
            <button key={id} type="button" onClick={() => document.getElementById(id)?.focus()}>
              {label}
            </button>
          ))}
        />
      )}
    </div>
  )
}

function wrongFieldsOf(form: HTMLFormElement): WrongField[] {
  return [...form.querySelectorAll('[aria-invalid="true"]')].flatMap(({ id }) => {
    const label = form.querySelector(`label[for="${id}"]`)?.textContent
    return label ? [{ id, label }] : []
  })
}
