// The link "Não fui eu" of a mail. Opening it changes nothing, because mail scanners open links; pressing the button
// does. The token stands in the fragment, which the browser sends to no server before that press.
import { useMutation } from '@tanstack/react-query'
import { Link, useLocation } from 'react-router'
import { undo, type Undone } from '../../api/auth'
import { asApiError, sentences, type ApiError } from '../../api/errors'
import { paths, withQuery } from '../../lib/paths'
import { session } from '../../auth/use-session'
import { Address } from '../../ui/address'
import { Alert } from '../../ui/alert'
import { Button, buttonClass } from '../../ui/button'
import { FailureAlert, useRetrySeconds } from '../../ui/failure-alert'
import { focusPage } from '../../ui/focus-heading'
import { AuthCard, SuccessCard } from './auth-card'

export function UndoChangePage() {
  const token = useLocation().hash.slice(1)
  return <UndoChange key={token} token={token} />
}

function UndoChange({ token }: { token: string }) {
  const protection = useMutation({
    mutationFn: () => undo(token),
    onSuccess: async () => {
      // This browser's session may be one of those that have ended.
      await session.endIfRevoked()
      session.forgetExpiry()
    },
    // The pressed button goes with the way that is closed.
    onError: (error) => isSpent(error) && focusPage(),
  })
  const failure = protection.error && asApiError(protection.error)
  const wait = useRetrySeconds(failure)
  if (protection.data) return <Protected undone={protection.data} />
  const spent = token === '' || (failure !== null && isSpent(failure))
  // One card for both: its title keeps the focus when the link turns out to be over.
  return (
    <AuthCard
      title="Não foi você?"
      subtitle={
        spent
          ? 'O link vale uma vez, por 72 horas.'
          : 'Se você não reconhece o que o email informa, proteja a sua conta agora.'
      }
    >
      {spent ? <Spent /> : <Question failure={failure} wait={wait} {...protection} />}
    </AuthCard>
  )
}

function isSpent(error: Error): boolean {
  return asApiError(error).code === 'UNDO_INVALID'
}

interface QuestionProps {
  failure: ApiError | null
  /** Seconds until it may be pressed again. */
  wait: number
  isPending: boolean
  mutate: () => void
}

function Question({ failure, wait, isPending, mutate }: QuestionProps) {
  return (
    <>
      <ul className="grid list-disc gap-2 pl-5">
        <li>Todas as sessões são encerradas, inclusive as suas.</li>
        <li>A senha atual deixa de valer até você escolher outra.</li>
        <li>
          Se uma segunda etapa de verificação foi adicionada há pouco, ela é removida. Uma chave de acesso mais antiga
          ainda abre a conta.
        </li>
        <li>Se o email da conta foi trocado, ela volta para o email que recebeu este link.</li>
      </ul>
      <FailureAlert title="Erro ao proteger a conta" failure={failure} />
      <Button
        variant="danger"
        className="w-full"
        disabled={wait > 0}
        busy={isPending && 'Protegendo...'}
        onClick={() => mutate()}
      >
        Não fui eu: proteger a conta
      </Button>
      <p className="text-center text-muted">Se foi você, feche esta página: nada muda.</p>
    </>
  )
}

function Protected({ undone: { userEmail, emailRestored } }: { undone: Undone }) {
  return (
    <SuccessCard
      title="Conta Protegida!"
      text={
        <>
          {emailRestored && (
            <>
              A conta voltou para <Address email={userEmail} />.{' '}
            </>
          )}
          Todas as sessões foram encerradas e a senha antiga não vale mais. Para entrar, escolha outra senha.
        </>
      }
      link={{ to: withQuery(paths.forgotPassword, { email: userEmail }), label: 'Redefinir Senha' }}
    />
  )
}

function Spent() {
  return (
    <>
      <Alert tone="danger" title={sentences.UNDO_INVALID}>
        Se você já o usou, a sua conta está protegida. Se ainda desconfia de alguém, redefina a senha: isso também
        encerra todas as sessões.
      </Alert>
      <Link className={buttonClass({}, 'w-full')} to={paths.forgotPassword}>
        Redefinir Senha
      </Link>
    </>
  )
}
