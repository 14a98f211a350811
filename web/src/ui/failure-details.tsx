// The small print of a failure.

/** The code and the request id: what support asks for. */
export function FailureDetails({ code, requestId }: { code: string; requestId?: string | undefined }) {
  return (
    <details className="text-caption text-muted">
      <summary className="cursor-pointer">Detalhes</summary>
      <p className="mt-1 font-mono break-all">
        {code}
        {requestId && ` · ${requestId}`}
      </p>
    </details>
  )
}
