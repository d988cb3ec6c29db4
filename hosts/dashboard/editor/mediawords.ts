import { speaker } from '../words.ts';

export const say = speaker({
  en: {
    upload: 'Upload', choose: 'Choose', clear: 'Clear', sending: 'Uploading', sent: '{percent} %', image: 'JPEG, PNG, WebP or GIF.', video: 'MP4, WebM or MOV.', audio: 'MP3, M4A, OGG, WAV or FLAC.',
    too_large: 'The file is too large: at most {most} MB are taken here.', undelivered: 'The file did not reach the place for films. Try again; if it goes on, let pledged doctor look at it.', clash: 'There is a file named {name} already.', clash_used_one: '{count} page shows it, and would show the new one at once.', clash_used_other: '{count} pages show it, and would show the new one at once.', both: 'Keep both', replace: 'Replace it', cancel: 'Cancel',
    library: 'Choose a file', empty: 'There are none yet. Upload one.', used_one: 'used in {count} place', used_other: 'used in {count} places', unused: 'not used', remove: 'Remove', kept_by_hand: 'It was put into the repository by hand. Remove it there.', kept_used: 'It is used meanwhile, and stays.',
  },
  es: {
    upload: 'Subir', choose: 'Elegir', clear: 'Vaciar', sending: 'Subiendo', sent: '{percent} %', image: 'JPEG, PNG, WebP o GIF.', video: 'MP4, WebM o MOV.', audio: 'MP3, M4A, OGG, WAV o FLAC.',
    too_large: 'El archivo es demasiado grande: aquí se admiten {most} MB como máximo.', undelivered: 'El archivo no llegó al almacén de vídeos. Inténtalo de nuevo; si se repite, que pledged doctor lo revise.', clash: 'Ya hay un archivo llamado {name}.', clash_used_one: '{count} página lo muestra, y mostraría el nuevo enseguida.', clash_used_other: '{count} páginas lo muestran, y mostrarían el nuevo enseguida.', clash_used_many: '{count} de páginas lo muestran, y mostrarían el nuevo enseguida.', both: 'Conservar los dos', replace: 'Sustituirlo', cancel: 'Cancelar',
    library: 'Elegir un archivo', empty: 'Todavía no hay ninguno. Sube uno.', used_one: 'usado en {count} lugar', used_other: 'usado en {count} lugares', used_many: 'usado en {count} de lugares', unused: 'sin usar', remove: 'Quitar', kept_by_hand: 'Se puso en el repositorio a mano. Quítalo allí.', kept_used: 'Mientras tanto se usa, y se queda.',
  },
});
