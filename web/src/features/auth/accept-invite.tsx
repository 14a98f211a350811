// Accept invite: what the link says of the invitation, and the next step. Signed out: sign in (and come back) or sign
// up; signed in with the invited address: accept, never on its own; with another address: change the account.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { acceptInvite, companyKeys, invitePreviewQuery, type Company, type InvitePreview } from '../../api/companies'
import { asApiError, sentences } from '../../api/errors'
import { paths, withQuery } from '../../lib/paths'
import { session, useSession } from '../../auth/use-session'
import { isAddressOf, type SessionUser } from '../../auth/stored'
import { formatDateTime } from '../../lib/dates'
import { companyRoleLabels } from '../../lib/labels'
import { Alert } from '../../ui/alert'
import { Button, buttonClass } from '../../ui/button'
import { DataArea } from '../../ui/data-area'
import { FailureAlert, useRetrySeconds } from '../../ui/failure-alert'
import { Fact, Facts } from '../../ui/facts'
import { focusPage, leaveToHeading } from '../../ui/focus-heading'
import { SkeletonLines } from '../../ui/skeleton'
import { notifySuccess } from '../../ui/toast'
import { useIsMounted } from '../../ui/use-is-mounted'
import { AuthCard } from './auth-card'

const INVALID = 'O link pode ter sido usado, cancelado, substituído por um mais novo ou ter passado dos 7 dias.'

export function AcceptInvitePage() {
  const [params] = useSearchParams()
  const token = params.get('token') ?? ''
  const state = useSession()
  const query = useQuery({ ...invitePreviewQuery(token), enabled: token !== '' })
  const invalid = token === '' || (query.error !== null && asApiError(query.error).code === 'INVITE_INVALID')
  // One card for both: its title keeps the focus when the invitation turns out to be over.
  return (
    <AuthCard title="Convite" subtitle={invalid ? INVALID : 'Você recebeu um convite para uma empresa.'}>
      {invalid ? (
        <InvalidInvite />
      ) : (
        <DataArea query={query} errorTitle="Erro ao aceitar convite" skeleton={<SkeletonLines count={4} />} live>
          {(invite) => (
            <div className="grid gap-6">
              <Facts>
                <Fact name="Empresa">{invite.companyName}</Fact>
                <Fact name="Papel">{companyRoleLabels[invite.role]}</Fact>
                <Fact name="Email">{invite.userEmail}</Fact>
                <Fact name="Válido até">{formatDateTime(invite.expiresAt)}</Fact>
              </Facts>
              {state.status === 'authenticated' ? (
                <SignedIn token={token} invite={invite} user={state.user} />
              ) : (
                <SignedOut token={token} invite={invite} />
              )}
            </div>
          )}
        </DataArea>
      )}
    </AuthCard>
  )
}

function SignedOut({ token, invite }: { token: string; invite: InvitePreview }) {
  const here = withQuery(paths.acceptInvite, { token })
  return (
    <div className="grid gap-3">
      <Link className={buttonClass({}, 'w-full')} to={withQuery(paths.signIn, { next: here, email: invite.userEmail })}>
        Entrar
      </Link>
      <Link className={buttonClass({ variant: 'secondary' }, 'w-full')} to={withQuery(paths.signUp, { invite: token })}>
        Criar Conta
      </Link>
    </div>
  )
}

function SignedIn({ token, invite, user }: { token: string; invite: InvitePreview; user: SessionUser }) {
  if (isAddressOf(user, invite.userEmail)) return <Accept token={token} />
  const signOut = (button: Element) => {
    leaveToHeading(button)
    void session.signOut()
  }
  return (
    <div className="grid gap-4">
      <Alert tone="warning">
        Este convite é para <strong className="wrap-anywhere">{invite.userEmail}</strong>, e você entrou como{' '}
        <strong className="wrap-anywhere">{user.userEmail}</strong>.
      </Alert>
      <Button onClick={({ currentTarget }) => signOut(currentTarget)}>Entrar com outra conta</Button>
      <Link className={buttonClass({ variant: 'secondary' })} to={paths.dashboard}>
        Ir para o Dashboard
      </Link>
    </div>
  )
}

function Accept({ token }: { token: string }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const isMounted = useIsMounted()
  const acceptance = useMutation({
    mutationFn: () => acceptInvite(token),
    onSuccess: async (company) => {
      queries.setQueryData<Company[]>(
        companyKeys.list,
        (rows) => rows && [...rows.filter(({ id }) => id !== company.id), company],
      )
      void queries.invalidateQueries({ queryKey: companyKeys.list, exact: true })
      notifySuccess(`Você agora faz parte da empresa ${company.companyName}`, { id: `membership ${company.id}` })
      // Whoever has left the page stays there, in the company they are in.
      if (!isMounted.current) return
      session.chooseCompany(company.id)
      await navigate(paths.dashboard, { replace: true })
    },
    onError: (error) => {
      if (asApiError(error).code !== 'INVITE_INVALID') return
      // Over since it was shown: the page asks again and says so.
      focusPage()
      void queries.invalidateQueries({ queryKey: invitePreviewQuery(token).queryKey })
    },
  })
  const failure = acceptance.error && asApiError(acceptance.error)
  const wait = useRetrySeconds(failure)
  return (
    <div className="grid gap-4">
      <FailureAlert title="Erro ao aceitar convite" failure={failure} />
      <Button disabled={wait > 0} busy={acceptance.isPending && 'Aceitando...'} onClick={() => acceptance.mutate()}>
        Aceitar convite
      </Button>
    </div>
  )
}

function InvalidInvite() {
  const signedIn = useSession().status === 'authenticated'
  return (
    <>
      <Alert tone="danger" title="Erro ao aceitar convite">
        {sentences.INVITE_INVALID}.{' '}
        {signedIn
          ? 'Se você já aceitou o convite, a empresa está no seu Dashboard.'
          : 'Se você já criou a conta por ele, basta entrar.'}{' '}
        Se recebeu mais de um email com o convite, use o link do mais novo. Se a empresa estiver suspensa, o link volta
        a funcionar com ela. Senão, peça um novo convite a um administrador da empresa.
      </Alert>
      <div className="grid gap-3">
        {!signedIn && (
          <Link className={buttonClass()} to={paths.signIn}>
            Entrar
          </Link>
        )}
        <Link
          reloadDocument={!signedIn}
          className={buttonClass({ variant: 'secondary' })}
          to={signedIn ? paths.dashboard : paths.landing}
        >
          {signedIn ? 'Ir para o Dashboard' : 'Página inicial'}
        </Link>
      </div>
    </>
  )
}
