// The purpose of each secret, by the name of its environment variable.
import { lang } from '../words.ts';

interface Purpose {
  readonly name: string;
  readonly use: string;
}

const texts: Readonly<Record<string, readonly [en: Purpose, es: Purpose]>> = {
  PSP_SECRET_KEY_LIVE: [
    { name: 'Processor key, live', use: 'Saves and charges real cards' },
    { name: 'Clave del procesador, real', use: 'Guarda tarjetas reales y hace los cargos' },
  ],
  PSP_SECRET_KEY_TEST: [
    { name: 'Processor key, test', use: 'Saves and charges test cards' },
    { name: 'Clave del procesador, prueba', use: 'Guarda tarjetas de prueba y hace los cargos' },
  ],
  PSP_REFUND_KEY_LIVE: [
    { name: 'Refund key, live', use: 'Creates refunds. Without it, the processor key does' },
    { name: 'Clave de reembolsos, real', use: 'Crea los reembolsos. Sin ella lo hace la clave del procesador' },
  ],
  PSP_REFUND_KEY_TEST: [
    { name: 'Refund key, test', use: 'Creates refunds of test charges. Without it, the processor key does' },
    {
      name: 'Clave de reembolsos, prueba',
      use: 'Crea los reembolsos de prueba. Sin ella lo hace la clave del procesador',
    },
  ],
  PSP_WEBHOOK_SECRET_LIVE: [
    { name: 'Processor webhook secret, live', use: 'Verifies the processor’s messages' },
    { name: 'Secreto del webhook del procesador, real', use: 'Verifica los mensajes del procesador' },
  ],
  PSP_WEBHOOK_SECRET_TEST: [
    { name: 'Processor webhook secret, test', use: 'Verifies the processor’s messages' },
    { name: 'Secreto del webhook del procesador, prueba', use: 'Verifica los mensajes del procesador' },
  ],
  CHECKOUT_INTENT_SECRET: [
    { name: 'Checkout secret', use: 'Signs checkouts between two pages' },
    { name: 'Secreto de pago', use: 'Firma el pedido entre dos páginas' },
  ],
  MAGIC_LINK_SECRET: [
    { name: 'Pledge link secret', use: 'Signs the links in emails. Changing it breaks all links sent before' },
    {
      name: 'Secreto de enlaces',
      use: 'Firma los enlaces de los correos. Al cambiarlo dejan de servir los ya enviados',
    },
  ],
  EMAIL_HASH_SECRET: [
    { name: 'Address hash secret', use: 'Hides suppressed addresses in the database' },
    { name: 'Secreto de direcciones', use: 'Oculta en la base de datos las direcciones excluidas' },
  ],
  EMAIL_HASH_SECRET_FORMER: [
    { name: 'Former address hash secret', use: 'Finds addresses stored with the former secret' },
    { name: 'Secreto de direcciones anterior', use: 'Encuentra las direcciones guardadas con él' },
  ],
  ADMIN_SECRET: [
    { name: 'Admin secret', use: 'Lets scripts use the operators’ API' },
    { name: 'Secreto de administración', use: 'Da acceso a la API a los programas' },
  ],
  ADMIN_SESSION_SECRET: [
    { name: 'Session secret', use: 'Signs session cookies. Changing it signs everyone out' },
    { name: 'Secreto de sesiones', use: 'Firma las sesiones. Al cambiarlo se cierran todas' },
  ],
  ADMIN_SETTLEMENT_SECRET: [
    { name: 'Settlement secret', use: 'Lets scripts start charging' },
    { name: 'Secreto de liquidación', use: 'Da acceso a los programas que hacen cargos' },
  ],
  ADMIN_BROADCAST_SECRET: [
    { name: 'Broadcast secret', use: 'Lets scripts send blasts' },
    { name: 'Secreto de envíos', use: 'Da acceso a los programas que hacen envíos masivos' },
  ],
  ABANDONED_CART_TOKEN_SECRET: [
    { name: 'Cart link secret', use: 'Signs the links that restore a cart' },
    { name: 'Secreto de carritos', use: 'Firma los enlaces que recuperan un carrito' },
  ],
  CHALLENGE_SECRET_KEY: [
    { name: 'Turnstile key', use: 'Keeps bots out of reminders and sign-in' },
    { name: 'Clave de Turnstile', use: 'Evita robots en recordatorios e inicios de sesión' },
  ],
  CARRIER_CLIENT_SECRET: [
    { name: 'Carrier secret', use: 'Asks the carrier for shipping rates' },
    { name: 'Secreto del transportista', use: 'Consulta las tarifas de envío' },
  ],
  LOCAL_TAX_API_KEY: [
    { name: 'Tax service key', use: 'Asks the tax service for rates' },
    { name: 'Clave del servicio de impuestos', use: 'Consulta los tipos de impuestos' },
  ],
  EMAIL_API_KEY: [
    { name: 'Resend key', use: 'Sends emails through Resend' },
    { name: 'Clave de Resend', use: 'Envía los correos por Resend' },
  ],
  POSTMARK_SERVER_TOKEN: [
    { name: 'Postmark token', use: 'Sends emails through Postmark' },
    { name: 'Token de Postmark', use: 'Envía los correos por Postmark' },
  ],
  SES_SECRET_ACCESS_KEY: [
    { name: 'Amazon SES key', use: 'Sends emails through Amazon SES' },
    { name: 'Clave de Amazon SES', use: 'Envía los correos por Amazon SES' },
  ],
  SMTP_URL: [
    { name: 'Mail server', use: 'Sends emails through your mail server' },
    { name: 'Servidor de correo', use: 'Envía los correos por tu servidor' },
  ],
  SMTP_DKIM_KEY: [
    { name: 'DKIM key', use: 'Signs emails sent through your mail server' },
    { name: 'Clave DKIM', use: 'Firma los correos de tu servidor' },
  ],
  EMAIL_WEBHOOK_SECRET: [
    { name: 'Resend webhook secret', use: 'Verifies reports of bounces and complaints' },
    { name: 'Secreto del webhook de Resend', use: 'Verifica los avisos de rebotes y quejas' },
  ],
  POSTMARK_WEBHOOK_LOGIN: [
    { name: 'Postmark webhook login', use: 'Verifies reports of bounces and complaints' },
    { name: 'Acceso del webhook de Postmark', use: 'Verifica los avisos de rebotes y quejas' },
  ],
  DATABASE_URL: [
    { name: 'PostgreSQL database', use: 'Stores the data. Without it, a file on this server does' },
    { name: 'Base de datos PostgreSQL', use: 'Guarda los datos. Sin ella, un archivo de este servidor' },
  ],
  MEDIA_STORE_SECRET: [
    { name: 'Media bucket key', use: 'Stores videos and audio' },
    { name: 'Clave del almacén de medios', use: 'Guarda vídeos y audios' },
  ],
  CONTENT_TOKEN: [
    { name: 'Content repository token', use: 'Publishes changes to pages' },
    { name: 'Token del repositorio', use: 'Publica los cambios de las páginas' },
  ],
  CONTENT_WEBHOOK_SECRET: [
    { name: 'Content webhook secret', use: 'Verifies news of changes by others' },
    { name: 'Secreto del webhook del repositorio', use: 'Verifica los avisos de cambios ajenos' },
  ],
  EDGE_USAGE_API_TOKEN: [
    { name: 'Cloudflare usage token', use: 'Reads the plan’s usage' },
    { name: 'Token de uso de Cloudflare', use: 'Lee el uso del plan' },
  ],
  EDGE_ANALYTICS_API_TOKEN: [
    { name: 'Cloudflare analytics token', use: 'Reads the plan’s usage if there is no usage token' },
    { name: 'Token de analítica de Cloudflare', use: 'Lee el uso del plan si no hay token de uso' },
  ],
};

/** Returns a secret's name and purpose in words, or undefined for an unknown variable. */
export const purposeOf = (variable: string): Purpose | undefined => texts[variable]?.[lang === 'es' ? 1 : 0];
