import { speaker } from '../words.ts';

export const say = speaker({
  en: {
    what: 'A mail to everybody who supports this campaign and has not unsubscribed. The draft is shared by all who may write for it, and kept for a week after its last save.', subject: 'Subject', body: 'Text', body_help: 'Markdown. Pictures from /assets/images/ are shown; films become links.', label: 'Button', url: 'Where the button leads', url_help: 'A path of the site, or an address.', save: 'Save draft', saved: 'Saved {time}.', unsaved: 'Not saved yet.', count: 'Count and review',
    theirs: 'Somebody else has saved this draft meanwhile. Your text is still here: copy what you need before you take theirs.', take: 'Take theirs', send_title_one: 'Send to {count} person?', send_title_other: 'Send to {count} people?', send_what: 'Each gets it once. What is sent can’t be called back; the rest can be stopped.', send_one: 'Send to {count} person', send_other: 'Send to {count} people', nobody: 'Nobody would get it.',
    phase_drafting: 'Being prepared', phase_sending: 'Being sent', phase_paused: 'Paused', phase_stopped: 'Stopped', phase_done: 'Sent', recipients_one: '{count} recipient', recipients_other: '{count} recipients', pause: 'Pause', go_on: 'Go on', stop: 'Stop for good',
  },
  es: {
    what: 'Un correo a todos los que apoyan esta campaña y no se han dado de baja. El borrador lo comparten quienes pueden escribir por ella, y se guarda una semana tras el último guardado.', subject: 'Asunto', body: 'Texto', body_help: 'Markdown. Se muestran las imágenes de /assets/images/; los vídeos se vuelven enlaces.', label: 'Botón', url: 'Adónde lleva el botón', url_help: 'Una ruta del sitio o una dirección.', save: 'Guardar borrador', saved: 'Guardado el {time}.', unsaved: 'Sin guardar.', count: 'Contar y revisar',
    theirs: 'Otra persona ha guardado este borrador mientras tanto. Tu texto sigue aquí: copia lo que necesites antes de tomar el suyo.', take: 'Tomar el suyo', send_title_one: '¿Enviar a {count} persona?', send_title_other: '¿Enviar a {count} personas?', send_what: 'Cada una lo recibe una vez. Lo enviado no se puede retirar; el resto se puede detener.', send_one: 'Enviar a {count} persona', send_other: 'Enviar a {count} personas', nobody: 'No lo recibiría nadie.',
    phase_drafting: 'Preparándose', phase_sending: 'Enviándose', phase_paused: 'En pausa', phase_stopped: 'Detenido', phase_done: 'Enviado', recipients_one: '{count} destinatario', recipients_other: '{count} destinatarios', pause: 'Pausar', go_on: 'Seguir', stop: 'Detener del todo',
  },
});
