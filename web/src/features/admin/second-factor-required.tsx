// What a platform admin without a second factor sees in production: why the area is closed, and the way to open it.
import { useEffect, type ComponentType } from 'react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from 'react-router'
import { adminKeys } from '../../api/admin'
import { secondFactorQuery } from '../../api/second-factor'
import { paths } from '../../lib/paths'
import { Button, buttonClass } from '../../ui/button'
import { focusPage } from '../../ui/focus-heading'
import { LockIcon } from '../../ui/icons'
import { usePageTitle } from '../../ui/page'

/**
 * `card`: the account's own card of the second factor; the layout hands it in, because features do not know each other.
 */
export default function SecondFactorRequired({
  card: Card,
  onEnabled,
}: {
  card: ComponentType
  onEnabled: () => void
}) {
  usePageTitle('Proteja o acesso de administrador')
  // The area may have closed under whoever was in it.
  useEffect(focusPage, [])
  const queries = useQueryClient()
  const factor = useQuery(secondFactorQuery())
  const enter = async () => {
    await queries.resetQueries({ queryKey: adminKeys.all })
    onEnabled()
  }
  return (
    <main className="mx-auto grid min-h-dvh max-w-[720px] content-center gap-6 px-4 py-8">
      <header className="grid justify-items-center gap-4 text-center">
        <LockIcon className="size-10 text-primary" strokeWidth={1.5} />
        <h1 tabIndex={-1} className="text-balance">
          Proteja o acesso de administrador
        </h1>
        <p className="text-reading text-balance text-muted">
          O Painel Admin mostra dados de todas as empresas. Para abri‑lo, ative a verificação em duas etapas: um
          aplicativo autenticador ou uma chave de acesso.
        </p>
      </header>
      <Card />
      <div className="flex flex-wrap justify-center gap-2">
        <Button disabled={!factor.data?.enabled} onClick={() => void enter()}>
          Abrir o Painel Admin
        </Button>
        <Link to={paths.dashboard} className={buttonClass({ variant: 'secondary' })}>
          Ir para o Dashboard
        </Link>
      </div>
    </main>
  )
}
