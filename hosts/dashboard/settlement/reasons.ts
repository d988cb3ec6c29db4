// Texts for the reasons why a charge failed, is pending or was skipped. Unknown codes are shown
// unchanged, so that operators can look them up at Stripe.
import { lang } from '../words.ts';

const texts: Readonly<Record<string, readonly [en: string, es: string]>> = {
  no_customer: ['No valid card', 'Sin tarjeta válida'],
  no_new_card: [
    'The last charge failed and no other card was added',
    'El último cobro falló y no se añadió otra tarjeta',
  ],
  below_min: ['Below the processor’s minimum', 'Por debajo del mínimo del procesador'],
  above_max: ['Above the processor’s maximum', 'Por encima del máximo del procesador'],
  late_pledge: ['Pledged after the supporter was charged', 'Aportó después de su cobro'],
  currency: ['Currency differs', 'La moneda no coincide'],
  under_way: ['An earlier charge has no result yet', 'Un cobro anterior aún no tiene resultado'],
  no_answer: ['No answer from the processor', 'Sin respuesta del procesador'],
  agreement_differs: ['The processor has other terms', 'El procesador tiene otras condiciones'],
  answer_differs: ['The processor answered about another charge', 'El procesador respondió sobre otro cobro'],
  key_mismatch: ['The processor has another request with this key', 'El procesador tiene otra petición con esta clave'],
  amount_differs: ['The payment has another amount', 'El pago tiene otro importe'],
  earlier_succeeded: ['An earlier attempt succeeded', 'Un intento anterior se cobró'],
  card_declined: ['Card declined', 'Tarjeta rechazada'],
  generic_decline: ['Declined without a reason', 'Rechazada sin motivo'],
  insufficient_funds: ['Insufficient funds', 'Fondos insuficientes'],
  expired_card: ['Card expired', 'Tarjeta caducada'],
  lost_card: ['Card reported lost', 'Tarjeta denunciada como perdida'],
  stolen_card: ['Card reported stolen', 'Tarjeta denunciada como robada'],
  do_not_honor: ['Declined by the bank without a reason', 'El banco la rechazó sin motivo'],
  processing_error: ['Processing error', 'Error al procesar'],
  incorrect_cvc: ['Wrong security code', 'Código de seguridad incorrecto'],
  authentication_required: ['Bank wants approval', 'El banco pide aprobación'],
  nothing_charged: ['Two people confirmed that nothing was charged', 'Dos personas confirmaron que no se cobró nada'],
};

export const reasonText = (code: string): string => texts[code]?.[lang === 'es' ? 1 : 0] ?? code;
