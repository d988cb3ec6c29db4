import { speaker } from '../words.ts';

export const say = speaker({
  en: {
    loading: 'Loading…', offline: "The service can't be reached.", unavailable_now: 'The service is busy.', old: 'What you see is from {time}. It’s asked for again by itself.', by_itself: 'It’s asked for again by itself.', unsent: "The service can't be reached, so nobody knows whether this was done. What you typed stays here: try again in a moment.", again: 'Try again', close: 'Close', nothing: 'Nothing here yet.',
    unavailable: 'The service is busy. Try again in a moment.', forbidden: "You can't do this. Ask a super admin for it.",
    confirm_title: 'Confirm that it’s you', confirm_why: 'This takes a sign-in of the last ten minutes.', confirm_read: 'To see more of this list, confirm that it’s you.', confirm_passkey: 'Use a passkey', confirm_mail: 'Email me a code', confirm_code: 'Code in the email', confirm_go: 'Confirm', confirm_sent: 'We’ve sent a code to {email}.', confirm_wrong: "This isn't the code in the email.",
    sort: 'Sort by {column}', more: 'Show more', rows_one: '{count} row', rows_other: '{count} rows', page: 'page {at} of {pages}', page_back: 'Previous rows', page_next: 'Next rows', export: 'Save what is shown', from: 'from {time}',
    find: 'Filter', sum: 'Sum', copy: 'Copy', copied: 'Copied', as_table: 'As a table', day: 'Day', so_far: 'So far', goal: 'Goal', required: 'required',
  },
  es: {
    loading: 'Cargando…', offline: 'No se puede conectar con el servicio.', unavailable_now: 'El servicio está ocupado.', old: 'Lo que ves es de {time}. Se vuelve a pedir solo.', by_itself: 'Se vuelve a pedir solo.', unsent: 'No se puede conectar con el servicio, así que no se sabe si esto se ha hecho. Lo que has escrito sigue aquí: inténtalo de nuevo dentro de un momento.', again: 'Reintentar', close: 'Cerrar', nothing: 'Aquí no hay nada todavía.',
    unavailable: 'El servicio está ocupado. Inténtalo dentro de un momento.', forbidden: 'No puedes hacer esto. Pídeselo a un superadministrador.',
    confirm_title: 'Confirma que eres tú', confirm_why: 'Para esto hace falta un inicio de sesión de los últimos diez minutos.', confirm_read: 'Para ver más de esta lista, confirma que eres tú.', confirm_passkey: 'Usar una llave de acceso', confirm_mail: 'Envíame un código', confirm_code: 'Código del correo', confirm_go: 'Confirmar', confirm_sent: 'Hemos enviado un código a {email}.', confirm_wrong: 'Este no es el código del correo.',
    sort: 'Ordenar por {column}', more: 'Ver más', rows_one: '{count} fila', rows_other: '{count} filas', page: 'página {at} de {pages}', page_back: 'Filas anteriores', page_next: 'Filas siguientes', export: 'Guardar lo que se ve', from: 'desde {time}', rows_many: '{count} de filas',
    find: 'Filtrar', sum: 'Suma', copy: 'Copiar', copied: 'Copiado', as_table: 'Como tabla', day: 'Día', so_far: 'Hasta ahora', goal: 'Objetivo', required: 'obligatorio',
  },
});
