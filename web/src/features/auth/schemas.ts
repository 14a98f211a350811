// The rules of the auth forms, each with its sentence. One schema per form; sign-up has a file of its own, because no
// other form needs the rules of a person's data.
import { z } from '../../lib/zod'
import { fieldSentenceOf } from '../../api/errors'
import { code, email, newPassword, passwordsAgree, passwordsDiffer, presentPassword } from '../../api/form-fields'

export const signInSchema = z.object({
  userEmail: email,
  password: z.string().min(1, fieldSentenceOf('REQUIRED')),
})

export const verifySchema = z.object({ userEmail: email, verificationCode: code })

const newPasswordPair = { newPassword, confirmPassword: presentPassword }

export const resetSchema = z
  .object({ userEmail: email, otp: code, ...newPasswordPair })
  .refine(passwordsAgree, passwordsDiffer)

/** By the mailed link, which stands for address and code. */
export const linkSchema = z.object(newPasswordPair).refine(passwordsAgree, passwordsDiffer)
