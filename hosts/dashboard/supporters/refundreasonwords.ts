import { speaker } from '../words.ts';

export const say = speaker({
  en: {
    reason: 'Reason',
    requested: 'The supporter asked for it',
    undelivered: 'We can’t deliver',
    damaged: 'Damaged or lost',
    mistake: 'Wrong price, tax or shipping',
    other: 'Other',
    message: 'Message to the supporter (optional)',
    message_to_all: 'Message to the supporters (optional)',
    message_hint: 'Part of the email about the refund.',
  },
  es: {
    reason: 'Motivo',
    requested: 'Lo ha pedido la persona',
    undelivered: 'No podemos entregarlo',
    damaged: 'Dañado o perdido',
    mistake: 'Precio, impuesto o envío incorrecto',
    other: 'Otro',
    message: 'Mensaje para la persona (opcional)',
    message_to_all: 'Mensaje para quienes apoyaron (opcional)',
    message_hint: 'Aparece en el correo sobre el reembolso.',
  },
});
