// Email addresses in sentences.

/** Breaks before its @ when it does not fit on a line. */
export function Address({ email }: { email: string }) {
  const at = email.indexOf('@')
  return (
    <>
      {email.slice(0, at)}
      <wbr />
      {email.slice(at)}
    </>
  )
}

/** An emphasised address at the end of a sentence, on one line with the full stop. */
export function ClosingAddress({ email }: { email: string }) {
  return (
    <span className="inline-block wrap-anywhere">
      <strong className="text-text">
        <Address email={email} />
      </strong>
      .
    </span>
  )
}
