import { speaker } from '../words.ts';

export const say = speaker({
  en: {
    title: 'Account',
    who: "You're signed in as {email}.",
    platform: 'You run the whole platform.',
    campaigns: 'You run {campaigns}.',
    no_campaigns: 'No campaign is assigned to you yet.',
    until: "At the latest you'll be signed out at {time}; after an hour without use, sooner.",
    out: 'Sign out',
    drafts: 'Unpublished drafts in this browser: {count}. Signing out deletes them.',
    out_drafts: 'Sign out and delete drafts',
  },
  es: {
    title: 'Cuenta',
    who: 'Has iniciado sesión como {email}.',
    platform: 'Gestionas toda la plataforma.',
    campaigns: 'Gestionas {campaigns}.',
    no_campaigns: 'Todavía no tienes ninguna campaña asignada.',
    until: 'Tu sesión se cerrará como muy tarde el {time}; tras una hora sin uso, antes.',
    out: 'Cerrar sesión',
    drafts: 'Borradores sin publicar en este navegador: {count}. Se eliminarán al cerrar la sesión.',
    out_drafts: 'Cerrar sesión y eliminar los borradores',
  },
});
