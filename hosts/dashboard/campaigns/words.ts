import { speaker } from '../words.ts';

export const say = speaker({
  en: {
    title: 'Campaigns', none: 'No campaign is assigned to you yet.', name: 'Campaign', state: 'State', pledged: 'Pledged', goal: 'of {goal}', supporters: 'Supporters', pledges: 'Pledges', ends: 'Ends', settlement: 'Settlement',
    upcoming: 'Upcoming', live: 'Live', ended: 'Ended', hidden: 'Hidden', running: 'Being charged', done: 'Settled', needs_attention: 'Needs attention', not_started: 'Not started',
    page: 'Open its page', all: 'All campaigns', funded: 'Funded', days_one: '{count} day left', days_other: '{count} days left', average: 'Average', unknown: "There's no campaign {slug}, or it isn't yours.",
    tab_overview: 'Overview', tab_settings: 'Settings', tab_content: 'Content', tab_tiers: 'Tiers', tab_support_items: 'Support Items', tab_add_ons: 'Add-Ons', tab_stretch_goals: 'Stretch Goals', tab_ongoing_items: 'Ongoing Items', tab_diary: 'Diary Entries', tab_decisions: 'Decisions', tab_settlement: 'Settlement',
    parts: 'Parts of the campaign', share: '{share} of {goal}', pledges_of_one: '{count} pledge', pledges_of_other: '{count} pledges', each: 'Each supporter', progress_of: 'Pledged to {title}, day by day', supporter: 'Supporter', amount: 'Amount', why: 'Why', yes: 'Yes',
    cards: 'Cards that will fail', cards_what: 'Reads every card at the processor: cards that run out before they are charged, cards that are gone, and addresses that take no mail.', cards_look: 'Look at the cards', charges: 'Charges looked at', at_risk: 'At risk', of_sum: 'of {sum}', findings: 'Supporters', cards_fine: 'All of them look fine.', asked: 'Asked', trouble_card_expires: 'Card runs out', trouble_card_gone: 'Card is gone', trouble_card_unread: 'Card can’t be read', trouble_address_bounced: 'Takes no mail',
    ask_count: 'Who would be asked?', ask_none: 'All who can be reached were asked already.', ask_one: 'Email {count} supporter for another card', ask_other: 'Email {count} supporters for another card', asked_done_one: '{count} email is on its way.', asked_done_other: '{count} emails are on their way.',
  },
  es: {
    title: 'Campañas', none: 'Todavía no tienes ninguna campaña asignada.', name: 'Campaña', state: 'Estado', pledged: 'Aportado', goal: 'de {goal}', supporters: 'Mecenas', pledges: 'Aportaciones', ends: 'Termina', settlement: 'Cobro',
    upcoming: 'Próxima', live: 'En curso', ended: 'Terminada', hidden: 'Oculta', running: 'Cobrando', done: 'Cobrada', needs_attention: 'Necesita atención', not_started: 'Sin empezar',
    page: 'Abrir su página', all: 'Todas las campañas', funded: 'Financiada', days_one: 'Queda {count} día', days_other: 'Quedan {count} días', average: 'Media', unknown: 'La campaña {slug} no existe o no es tuya.',
    tab_overview: 'Resumen', tab_settings: 'Ajustes', tab_content: 'Contenido', tab_tiers: 'Recompensas', tab_support_items: 'Artículos de apoyo', tab_add_ons: 'Complementos', tab_stretch_goals: 'Metas adicionales', tab_ongoing_items: 'Artículos permanentes', tab_diary: 'Entradas del diario', tab_decisions: 'Decisiones', tab_settlement: 'Cobro',
    parts: 'Partes de la campaña', share: '{share} de {goal}', pledges_of_one: '{count} aportación', pledges_of_other: '{count} aportaciones', each: 'Cada mecenas', progress_of: 'Aportado a {title}, día a día', supporter: 'Mecenas', amount: 'Importe', why: 'Por qué', yes: 'Sí',
    cards: 'Tarjetas que fallarán', cards_what: 'Lee todas las tarjetas en el procesador: las que caducan antes del cobro, las que ya no existen y las direcciones que no reciben correo.', cards_look: 'Mirar las tarjetas', charges: 'Cobros mirados', at_risk: 'En riesgo', of_sum: 'de {sum}', findings: 'Mecenas', cards_fine: 'Todas tienen buen aspecto.', asked: 'Avisado', trouble_card_expires: 'La tarjeta caduca', trouble_card_gone: 'La tarjeta ya no existe', trouble_card_unread: 'No se puede leer la tarjeta', trouble_address_bounced: 'No recibe correo',
    ask_count: '¿A quién se avisaría?', ask_none: 'Ya se ha avisado a todos los localizables.', ask_one: 'Pedir otra tarjeta por correo a {count} mecenas', ask_other: 'Pedir otra tarjeta por correo a {count} mecenas', asked_done_one: '{count} correo está en camino.', asked_done_other: '{count} correos están en camino.',
  },
});
