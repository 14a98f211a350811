// Codes to sentences, and the error classes of the web app. The server speaks codes; every Portuguese
// error sentence stands here, once. A test holds the table total over the codes of the generated schema.
import { formatWait } from '../lib/countdown'
import type { Failure } from '../lib/failure'
import type { components } from './schema'

export const sentences = {
  EMAIL_EXISTS: 'Este email já está cadastrado',
  DOCUMENT_EXISTS: 'Este documento já está cadastrado',
  INVALID_CREDENTIALS: 'Email ou senha incorretos',
  ACCOUNT_INACTIVE: 'Conta desativada. Entre em contato com o suporte',
  EMAIL_NOT_VERIFIED: 'Email não verificado. Verifique sua caixa de entrada',
  INVALID_VERIFICATION_CODE: 'Código de verificação inválido ou expirado',
  EMAIL_ALREADY_VERIFIED: 'Email já foi verificado',
  INVALID_RESET_TOKEN: 'Código OTP inválido ou expirado',
  INVALID_SECOND_FACTOR: 'Código inválido, expirado ou já usado',
  INVALID_CHALLENGE: 'A confirmação expirou. Entre novamente.',
  STEP_UP_REQUIRED: 'Confirme sua identidade para continuar',
  SECOND_FACTOR_REQUIRED: 'Ative a verificação em duas etapas para continuar',
  MEMBER_OF_OTHER_COMPANIES: 'Esta pessoa também participa de empresas que você não administra',
  SECOND_FACTOR_OLDER_THAN_MEMBERSHIP:
    'Esta verificação foi ativada antes de a pessoa entrar na empresa. Só a própria pessoa pode removê-la.',
  EMAIL_SEND_ERROR: 'Erro no envio do email. Tente novamente',
  INTERNAL_ERROR: 'Erro interno do servidor. Tente novamente',
  NETWORK_ERROR: 'Erro de conexão. Verifique sua internet',
  PARSE_ERROR: 'Erro ao processar resposta do servidor',
  HTTP_ERROR: 'Erro na comunicação com o servidor',
  LOAD_ERROR: 'Erro desconhecido',
  PASSWORD_MAY_BE_SET: 'A senha pode já ter sido trocada. Tente entrar com a nova.',
  VALIDATION_ERROR: 'Dados inválidos. Verifique os campos',
  UNAUTHORIZED: 'Sessão expirada. Faça login novamente.',
  FORBIDDEN: 'Você não tem permissão para esta ação',
  NOT_FOUND: 'Registro não encontrado',
  METHOD_NOT_ALLOWED: 'Este endereço não aceita esse tipo de chamada',
  CONFLICT: 'O registro mudou desde que você o abriu. Atualize e tente novamente',
  RATE_LIMITED: 'Muitas tentativas. Tente novamente em {n}.',
  INVALID_REFRESH_TOKEN: 'Sessão expirada. Faça login novamente.',
  ALREADY_MEMBER: 'Este usuário já faz parte da empresa',
  UNDO_INVALID: 'Este link não vale mais',
  INVITE_INVALID: 'Convite inválido ou expirado',
  LAST_ADMIN: 'A empresa precisa de pelo menos um administrador',
  CREATOR_LOCKED: 'O criador da empresa não pode ser removido',
  PLAN_LIMIT_REACHED: 'Limite de usuários do plano atingido',
  PLAN_NOT_AVAILABLE: 'Este plano não está mais disponível',
  PLAN_NAME_EXISTS: 'Já existe um plano com este nome',
  SUBSCRIPTION_EXISTS: 'A empresa já tem uma assinatura',
  SUBSCRIPTION_NOT_ACTIVE: 'A assinatura não está ativa',
  CHANGE_NOT_ALLOWED: 'Esta mudança de plano não é permitida',
  AMOUNT_MISMATCH: 'O valor foi atualizado. Confira e confirme novamente',
  PAYMENT_REQUIRED: 'É necessário concluir o pagamento',
  PAYMENT_IN_PROGRESS: 'Já existe um pagamento em aberto para esta empresa',
  PAYMENT_NOT_REFUNDABLE: 'Este pagamento não pode ser reembolsado',
  REFUND_EXCEEDS_PAYMENT: 'O valor passa do que ainda pode ser reembolsado',
  PAYMENT_NOT_CANCELLABLE: 'Este pagamento não pode mais ser cancelado',
  PAYMENT_METHOD_UNAVAILABLE: 'Forma de pagamento indisponível no momento',
  CARD_LIMIT_REACHED: 'A empresa já tem 10 cartões salvos. Remova um para salvar outro',
  PROVIDER_UNAVAILABLE: 'Sistema de pagamento indisponível',
  IDEMPOTENCY_KEY_REUSED: 'Este pedido já foi enviado com outros dados. Recarregue a página',
  REQUEST_IN_PROGRESS: 'Seu pedido ainda está sendo processado. Aguarde',
  COMPANY_HAS_ACTIVE_SUBSCRIPTION: 'Cancele a assinatura antes de excluir a empresa',
  CEP_NOT_FOUND: 'CEP não encontrado',
  CEP_UNAVAILABLE: 'Não foi possível buscar o endereço do CEP. Preencha o endereço',
  VIEW_NAME_EXISTS: 'Você já tem uma visualização com este nome',
  VIEW_LIMIT_REACHED: 'Esta lista já tem 20 visualizações. Exclua uma para salvar outra',
  SERVICE_UNAVAILABLE: 'Serviço temporariamente indisponível. Tente novamente em instantes',
} as const satisfies Record<components['schemas']['Code'], string> & Record<string, string>

type KnownCode = keyof typeof sentences

/** The sentence of a code; an unknown one shows itself. */
export function sentenceOf(code: string, retryAfter?: number): string {
  if (!Object.hasOwn(sentences, code)) return `Erro: ${code}`
  return sentences[code as KnownCode].replace('{n}', formatWait(retryAfter ?? 60))
}

const fieldSentences: Record<string, string> = {
  REQUIRED: 'Este campo é obrigatório',
  EMAIL_INVALID: 'Email inválido',
  DOCUMENT_INVALID: 'CPF deve ter 11 dígitos',
  PHONE_INVALID: 'Telefone inválido',
  PASSWORD_WEAK: 'Senha deve ter pelo menos 8 caracteres, com maiúscula, minúscula, número e símbolo',
  PASSWORD_COMMON: 'Esta senha é muito comum. Escolha outra.',
  PASSWORD_MISMATCH: 'Senhas não coincidem',
  CODE_INVALID: 'Código deve ter 6 dígitos',
  NAME_TOO_SHORT: 'Nome deve ter pelo menos 2 caracteres',
  TOO_LONG: 'Texto muito longo',
  CONSENT_REQUIRED: 'É necessário aceitar os termos',
  INVALID: 'Valor inválido',
}

/** The sentence of a field code. `own` holds the wording of a form that says it in other words. */
export function fieldSentenceOf(code: string, own: Record<string, string> = {}): string {
  return own[code] ?? fieldSentences[code] ?? 'Valor inválido'
}

type ErrorDetails = Partial<Pick<ApiError, 'status' | 'fields' | 'requestId' | 'retryAfter' | 'sentence'>>

const UNCERTAIN = new Set(['NETWORK_ERROR', 'PARSE_ERROR', 'HTTP_ERROR'])

/** Every refusal or failure of a call. `message` is the code, for logs; `sentence` is for people. */
export class ApiError extends Error implements Failure {
  override readonly name = 'ApiError'
  readonly sentence: string
  readonly status: number | undefined
  readonly fields: Record<string, string | number>
  readonly requestId: string | undefined
  readonly retryAfter: number | undefined

  constructor(
    readonly code: string,
    details: ErrorDetails = {},
  ) {
    super(code)
    this.status = details.status
    this.fields = details.fields ?? {}
    this.requestId = details.requestId
    this.retryAfter = details.retryAfter
    this.sentence = details.sentence ?? sentenceOf(code, details.retryAfter)
  }

  /** No verdict of the server: the call may or may not have had its effect. */
  get isUncertain(): boolean {
    return UNCERTAIN.has(this.code) || (this.status ?? 0) >= 500
  }
}

/** The provider's refusal of a call that this browser made. `code` is the finest that the provider gave. */
export class ProviderRefusal extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message)
  }

  /** Of an error in Stripe's words, which the sandbox speaks too. */
  static of(error?: { code?: string; decline_code?: string; message?: string } | null): ProviderRefusal {
    return new ProviderRefusal(error?.decline_code ?? error?.code ?? 'other', error?.message ?? 'Payment failed')
  }
}

/** Anything thrown, as an ApiError: a defect of ours is shown as an internal error and logged. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  console.error(error)
  return new ApiError('INTERNAL_ERROR')
}

/**
 * What a load of the admin area threw: a call that was given up stays that, anything else unforeseen is a LOAD_ERROR.
 */
export function asLoadError(error: unknown): unknown {
  if (error instanceof ApiError || error instanceof DOMException) return error
  return new ApiError('LOAD_ERROR', { sentence: error instanceof Error && error.message ? error.message : undefined })
}
