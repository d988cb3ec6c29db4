// Texts for the reasons why a charge failed, is pending or was skipped. Unknown codes are shown as
// they are, so that operators can look them up at Stripe.
import { lang } from '../words.ts';

const texts: Readonly<Record<string, readonly [en: string, es: string]>> = {
  no_customer: ['No card that can be charged', 'Sin tarjeta a la que cobrar'],
  no_new_card: [
    'The last charge failed, and no other card was given',
    'El último cobro falló y no se ha dado otra tarjeta',
  ],
  below_min: ['Less than the processor charges', 'Menos de lo que cobra el procesador'],
  above_max: ['More than the processor charges', 'Más de lo que cobra el procesador'],
  late_pledge: ['Came after its supporter was charged', 'Llegó después de cobrar a su mecenas'],
  currency: ['Another currency', 'Otra moneda'],
  under_way: ['A charge has no known end yet', 'Hay un cobro sin resultado conocido'],
  no_answer: ['No answer from the processor', 'Sin respuesta del procesador'],
  agreement_differs: ['The processor has other agreed terms', 'El procesador tiene otras condiciones aceptadas'],
  answer_differs: ['The processor’s answer is about another charge', 'La respuesta del procesador es sobre otro cobro'],
  key_mismatch: [
    'The processor knows another request by this name',
    'El procesador conoce otra petición con este nombre',
  ],
  amount_differs: ['The payment found is of another amount', 'El pago encontrado es de otro importe'],
  earlier_succeeded: ['An earlier attempt succeeded after all', 'Un intento anterior sí se cobró'],
  card_declined: ['Declined', 'Rechazada'],
  generic_decline: ['Declined without a reason', 'Rechazada sin motivo'],
  insufficient_funds: ['Not enough money', 'Fondos insuficientes'],
  expired_card: ['The card has expired', 'La tarjeta ha caducado'],
  lost_card: ['The card was reported lost', 'Tarjeta denunciada como perdida'],
  stolen_card: ['The card was reported stolen', 'Tarjeta denunciada como robada'],
  do_not_honor: ['The bank declined without a reason', 'El banco rechazó sin motivo'],
  processing_error: ['An error while it was processed', 'Error al procesar'],
  incorrect_cvc: ['Wrong security code', 'Código de seguridad incorrecto'],
  authentication_required: ['The bank wants the supporter to approve', 'El banco pide que el mecenas lo apruebe'],
  nothing_charged: ['Two operators found that nothing was charged', 'Dos operadores comprobaron que no se cobró nada'],
};

export const reasonText = (code: string): string => texts[code]?.[lang === 'es' ? 1 : 0] ?? code;
