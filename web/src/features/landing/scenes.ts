// The pictures of the product: what they show, their sizes and their files. `make screens ONLY=landing` takes them anew
// from the product itself (`web/e2e/landing-screens.spec.ts`), in both themes, for desks and for phones.

/** In pixels of the file; a picture is shown at half of it or a little more. */
export const DESK = { width: 1280, height: 800 } as const
export const PHONE = { width: 720, height: 960 } as const

export const FORMS = { desk: DESK, phone: PHONE } as const
export const THEMES = ['light', 'dark'] as const

export type Form = keyof typeof FORMS
export type Theme = (typeof THEMES)[number]

export const scenes = [
  {
    name: 'painel',
    title: 'A empresa inteira em uma tela',
    text: 'Plano, vencimento, equipe e o que acabou de acontecer, com o próximo passo ao lado.',
    alt: 'Tela inicial de uma empresa no Bipe: o plano Profissional ativo, a data em que vence e o total de usuários.',
  },
  {
    name: 'pagamento',
    title: 'O PIX aprovado aparece sozinho',
    text: 'Quem paga e quem administra veem a aprovação no mesmo instante, em qualquer aparelho.',
    alt: 'Janela “Pagamento Aprovado!” com R$ 99,90 pagos por PIX, o plano Profissional, o período, a empresa e quem pagou.',
  },
  {
    name: 'equipe',
    title: 'Cada pessoa com o seu papel',
    text: 'Administração, operação e financeiro veem o que precisam, e só isso. Convide por email.',
    alt: 'Lista de usuários da empresa, cada um com nome, email, papel e status.',
  },
] as const

export function fileName(scene: string, form: Form, theme: Theme): string {
  return `${scene}-${form}-${theme}.webp`
}
