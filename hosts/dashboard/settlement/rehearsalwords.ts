import { speaker } from '../words.ts';

export const say = speaker({
  en: {
    title: 'Rehearsal', what: 'Plays the night on a copy of the database, with each card as the processor describes it now. Nobody is charged and nobody gets a mail. It takes a minute or two, and longer for a large campaign; you may leave this page.',
    unavailable: 'This host can’t make a copy of its database, so it can’t rehearse.', start: 'Rehearse', again: 'Rehearse again', copying: 'Copying the database…', reading: '{read} of {cards} cards read', failed: 'The rehearsal failed: {why}.',
    as_of: 'Rehearsed {ago}, for {time}.', not_funded: 'The goal is not reached yet: {counted} of {goal}. Below is what it would come to if it were.', stays: 'What would be collected reaches the goal. Banks may refuse {sum} of it before it doesn’t.', short: 'What would be collected is {sum} short of the goal.',
    charged: 'Would be charged', of_supporters_one: 'of {count} supporter', of_supporters_other: 'of {count} supporters', refused: 'Would fail', passed_over_one: '{count} pledge left out', passed_over_other: '{count} pledges left out', collected: 'Would be collected', available: '{sum} after fees',
    counted: 'Toward the goal', of_goal: '{share} of {goal}', mails: 'Mails', lasts_one: 'At least {count} minute', lasts_other: 'At least {count} minutes', findings: 'What to look at before the night', no_findings: 'Every card looks good, and everything adds up.', sum: '{what}: {n}, {sum}', what_column: 'What', who: 'Supporter', amount: 'Amount',
    card_expires: 'The card will have run out', card_missing: 'The processor doesn’t know the card', card_detached: 'The card was taken away', card_unread: 'The card couldn’t be read', promise_broken: 'The file promises something else', passed_over: 'Left out', amount_differs: 'A pledge doesn’t add up', sum_differs: 'The accounts don’t add up', drifted: 'Public figures have drifted', book_differs: 'The books would differ',
  },
  es: {
    title: 'Ensayo', what: 'Ensaya la noche del cobro sobre una copia de la base de datos, con cada tarjeta tal como la describe ahora el procesador. No se cobra a nadie ni se envía ningún correo. Tarda un par de minutos, y más si la campaña es grande; puedes salir de esta página.',
    unavailable: 'Este servidor no puede copiar su base de datos, así que no puede ensayar.', start: 'Ensayar', again: 'Volver a ensayar', copying: 'Copiando la base de datos…', reading: '{read} de {cards} tarjetas leídas', failed: 'El ensayo ha fallado: {why}.',
    as_of: 'Ensayado {ago}, para el {time}.', not_funded: 'El objetivo aún no está alcanzado: {counted} de {goal}. Esto es lo que resultaría si lo estuviera.', stays: 'Lo que se cobraría alcanza el objetivo. Los bancos pueden rechazar {sum} antes de que deje de alcanzarlo.', short: 'A lo que se cobraría le faltan {sum} para el objetivo.',
    charged: 'Se cobraría a', of_supporters_one: 'de {count} mecenas', of_supporters_other: 'de {count} mecenas', refused: 'Fallarían', passed_over_one: '{count} aportación queda fuera', passed_over_other: '{count} aportaciones quedan fuera', collected: 'Se cobrarían', available: '{sum} tras comisiones',
    counted: 'Para el objetivo', of_goal: '{share} de {goal}', mails: 'Correos', lasts_one: 'Al menos {count} minuto', lasts_other: 'Al menos {count} minutos', findings: 'Qué mirar antes de esa noche', no_findings: 'Todas las tarjetas parecen buenas y todo cuadra.', sum: '{what}: {n}, {sum}', what_column: 'Qué', who: 'Mecenas', amount: 'Importe',
    card_expires: 'La tarjeta habrá caducado', card_missing: 'El procesador no conoce la tarjeta', card_detached: 'La tarjeta se ha retirado', card_unread: 'No se ha podido leer la tarjeta', promise_broken: 'El archivo promete otra cosa', passed_over: 'Queda fuera', amount_differs: 'Una aportación no cuadra', sum_differs: 'Las cuentas no cuadran', drifted: 'Las cifras públicas se han desviado', book_differs: 'Las cuentas no coincidirían',
  },
});
