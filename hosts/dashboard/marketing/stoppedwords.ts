import { speaker } from '../words.ts';

export const say = speaker({
  en: {
    title: 'Addresses without mails', what: 'Enter the addresses of people who have asked you for no more news of this campaign. Mails about their own pledge still reach them. Those who unsubscribed by a link are not listed: nobody sees who did.',
    all: 'All campaigns', all_help: 'No news of any campaign, and no reminders.', email: 'Address', add: 'Stop mails to it', none: 'There are none.', more: 'More', by: 'Stopped by', since: 'Since', clear: 'Clear',
    reported: 'Bounces and complaints', reported_what: 'An address that bounced, or whose reader called a mail spam, gets no more mails. Take that back for somebody who asks you to; what they said by a link in a mail stays.', why: 'What is taken back', bounced: 'It bounced', complained: 'Called spam', take_back: 'Take it back', still: 'Something else still stops mails to it.', open: 'Nothing stops mails to it any more.',
  },
  es: {
    title: 'Direcciones sin correos', what: 'Escribe las direcciones de quienes te han pedido no recibir más novedades de esta campaña. Los correos sobre su propia aportación les siguen llegando. Quien se da de baja con un enlace no aparece aquí: nadie ve quién lo hizo.',
    all: 'Todas las campañas', all_help: 'Ninguna novedad de ninguna campaña, ni recordatorios.', email: 'Dirección', add: 'No enviarle más', none: 'No hay ninguna.', more: 'Más', by: 'Parada por', since: 'Desde', clear: 'Quitar',
    reported: 'Rebotes y quejas', reported_what: 'A una dirección que rebotó, o cuyo lector marcó un correo como spam, no se le envía nada más. Deshazlo para quien te lo pida; lo que dijo con un enlace de un correo se mantiene.', why: 'Qué se deshace', bounced: 'Rebotó', complained: 'Marcado como spam', take_back: 'Deshacer', still: 'Otra cosa sigue impidiendo que reciba correos.', open: 'Ya nada impide que reciba correos.',
  },
});
