// Signing in with a passkey alone: by the button, or by choosing it in the browser's list on the e-mail field. Its own
// chunk, loaded where the browser has passkeys.
import { useEffect, useEffectEvent, useState } from 'react'
import type { AuthenticationResponseJSON } from '@simplewebauthn/browser'
import type { Tokens, User } from '../../api/auth'
import { ApiError, asApiError } from '../../api/errors'
import { passkeyOptions, passkeySignIn } from '../../api/second-factor'
import { canOfferPasskeys, cancelPasskeys, offerPasskey, showPasskey } from '../../auth/passkeys'
import { Button } from '../../ui/button'
import { FailureAlert, useRetrySeconds } from '../../ui/failure-alert'
import { KeyIcon } from '../../ui/icons'

/**
 * A question is good for five minutes; the one that waits in the browser is asked anew before that, and of a tab that
 * nobody sees when it is seen again: a forgotten one would go on asking for days.
 */
const OFFERED_FOR_MS = 240_000

export default function PasskeySignIn({ onSignedIn }: { onSignedIn: (user: User, tokens: Tokens) => void }) {
  const [failure, setFailure] = useState<ApiError | null>(null)
  const [busy, setBusy] = useState(false)
  const wait = useRetrySeconds(failure)
  const signIn = async (ask: () => Promise<AuthenticationResponseJSON>) => {
    setBusy(true)
    setFailure(null)
    try {
      const { user, tokens } = await passkeySignIn(await ask())
      onSignedIn(user, tokens)
    } catch (error) {
      setFailure(inWords(error))
      setBusy(false)
    }
  }
  const press = () => signIn(async () => showPasskey(await passkeyOptions()))

  return (
    <div className="grid gap-4">
      {/* The browser asks one question at a time: a later one ends the earlier. */}
      {!busy && wait === 0 && <Offered onChosen={(credential) => void signIn(async () => credential)} />}
      <FailureAlert failure={failure} />
      <Button
        variant="secondary"
        className="w-full"
        disabled={wait > 0}
        busy={busy && 'Entrando...'}
        onClick={() => void press()}
      >
        <KeyIcon />
        Entrar com chave de acesso
      </Button>
    </div>
  )
}

/** The question that waits in the browser's list of accounts, for as long as this is mounted. */
function Offered({ onChosen }: { onChosen: (credential: AuthenticationResponseJSON) => void }) {
  const [round, setRound] = useState(0)
  const choose = useEffectEvent(onChosen)
  useEffect(() => {
    let over = false
    const offer = async () => {
      if (!(await canOfferPasskeys()) || over) return
      const options = await passkeyOptions()
      if (over) return
      const credential = await offerPasskey(options)
      if (!over) choose(credential)
    }
    // Given up, ended by the button's question, or without an answer of the server: the form is still there.
    void offer().catch(() => undefined)
    const askAnew = () => {
      if (document.visibilityState === 'visible') setRound(round + 1)
    }
    const timer = setTimeout(() => {
      document.addEventListener('visibilitychange', askAnew)
      askAnew()
    }, OFFERED_FOR_MS)
    return () => {
      over = true
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', askAnew)
      void cancelPasskeys()
    }
  }, [round])
  return null
}

/** There was no password that could be wrong. */
function inWords(error: unknown): ApiError {
  const failure = asApiError(error)
  if (failure.code !== 'INVALID_CREDENTIALS') return failure
  return new ApiError(failure.code, { status: failure.status, sentence: 'Esta chave de acesso não abre nenhuma conta' })
}
