// Three invented quotes, one per role. The page says "Exemplos ilustrativos" above them.

const voices = [
  {
    name: 'Renata',
    role: 'Dona de ponto em Campinas',
    text: 'Antes eu descobria o extravio pela reclamação. Hoje o pacote parado aparece na tela antes do fim do turno.',
  },
  {
    name: 'Cláudio',
    role: 'Operador em Recife',
    text: 'Bipo a gaiola inteira de uma vez e já sei o que falta. A conferência caiu de duas horas para quinze minutos.',
  },
  {
    name: 'Sílvia',
    role: 'Financeiro em Curitiba',
    text: 'Pago no PIX e a aprovação aparece na hora, para mim e para a dona. Sem mandar comprovante.',
  },
]

export function Testimonials() {
  return (
    <section id="depoimentos" className="mx-auto grid max-w-[1200px] gap-8 px-4 py-16 md:px-6 lg:px-8 lg:py-24">
      <div className="grid gap-1">
        <h2 className="text-h1">Quem vive disso, bipa</h2>
        <p className="text-muted">Exemplos ilustrativos</p>
      </div>
      <ul role="list" className="grid gap-4 md:grid-cols-3">
        {voices.map(({ name, role, text }) => (
          <li key={name} className="rounded-card border border-line bg-surface p-5">
            <figure className="flex h-full flex-col gap-4">
              <blockquote className="flex-1 text-reading text-pretty">{text}</blockquote>
              <figcaption className="tear pt-3 text-label text-balance text-muted">
                <span className="font-medium text-text">{name}</span> · {role}
              </figcaption>
            </figure>
          </li>
        ))}
      </ul>
    </section>
  )
}
