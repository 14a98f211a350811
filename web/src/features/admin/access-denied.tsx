// What a person without the role sees of the platform admin's area: that it is closed, and the ways out.
import { useEffect } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from 'react-router'
import { adminKeys } from '../../api/admin'
import { paths } from '../../lib/paths'
import { buttonClass } from '../../ui/button'
import { focusPage } from '../../ui/focus-heading'
import { LockIcon } from '../../ui/icons'
import { usePageTitle } from '../../ui/page'

export default function AccessDenied() {
  usePageTitle('Acesso Negado')
  const queries = useQueryClient()
  // The area may have closed under whoever was in it.
  useEffect(focusPage, [])
  // Nothing of the area outlives the right to see it.
  useEffect(() => queries.removeQueries({ queryKey: adminKeys.all }), [queries])
  return (
    <main className="mx-auto grid min-h-dvh max-w-[560px] content-center justify-items-center gap-4 px-4 py-8 text-center">
      <LockIcon className="size-10 text-danger" strokeWidth={1.5} />
      <h1 tabIndex={-1}>Acesso Negado</h1>
      <p className="text-reading text-balance">Você não tem permissões de administrador para acessar esta área...</p>
      <p className="text-balance text-muted">
        Apenas usuários com role &quot;admin&quot; podem acessar o painel administrativo
      </p>
      <div className="flex flex-wrap justify-center gap-2">
        <Link to={paths.dashboard} className={buttonClass()}>
          Ir para o Dashboard
        </Link>
        <Link reloadDocument to={paths.landing} className={buttonClass({ variant: 'secondary' })}>
          Página inicial
        </Link>
      </div>
    </main>
  )
}
