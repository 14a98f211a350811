// The three consents: unticked, each linking its page in a new tab.
import type { FieldErrors, UseFormRegister } from 'react-hook-form'
import { paths } from '../../lib/paths'
import { Checkbox } from '../../ui/checkbox'
import type { SignUpForm } from './sign-up-schema'

const consents = [
  { name: 'consent_legal_terms', text: 'Li e aceito os', link: 'Termos Legais', to: paths.terms },
  { name: 'consent_privacy_terms', text: 'Li e aceito a', link: 'Política de Privacidade', to: paths.privacy },
  { name: 'consent_lgpd_terms', text: 'Li e aceito os', link: 'Termos LGPD', to: paths.lgpd },
] as const

export function Consents({
  register,
  errors,
}: {
  register: UseFormRegister<SignUpForm>
  errors: FieldErrors<SignUpForm>
}) {
  return (
    <fieldset className="grid gap-3">
      <legend className="sr-only">Consentimentos</legend>
      {consents.map(({ name, text, link, to }) => (
        <Checkbox
          key={name}
          error={errors[name]?.message}
          label={
            <>
              {text}{' '}
              <a className="link" href={to} target="_blank" rel="noopener noreferrer">
                {link}
                <span className="sr-only"> (abre em nova aba)</span>
              </a>
            </>
          }
          {...register(name)}
        />
      ))}
    </fieldset>
  )
}
