// The way on in a form whose record somebody else has saved since: it begins anew with what is stored now.
import { leaveToHeading } from './focus-heading'

/** For the actions of the alert that says so. */
export function LoadNewer({ onLoad }: { onLoad: () => void }) {
  const load = (button: Element) => {
    leaveToHeading(button)
    onLoad()
  }
  return (
    <>
      <button type="button" onClick={({ currentTarget }) => load(currentTarget)}>
        Carregar os dados novos
      </button>
      <span className="font-normal">O que você digitou aqui será descartado.</span>
    </>
  )
}
