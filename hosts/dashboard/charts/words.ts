import { speaker } from '../words.ts';

export const say = speaker({
  en: {
    as_table: 'View as table',
    as_chart: 'Hide table',
    day: 'Day',
    that_day: 'That day',
    total: 'Total',
    today: 'Today',
    goal: 'Goal {sum}',
    estimate: 'Estimate {low} to {high}',
    estimate_single: 'Estimate {sum}',
    estimate_legend: 'Estimate from the last 10 days',
    shown: '{title}: {sum} on {day}',
    shown_goal: 'goal {sum}',
    shown_estimate: 'estimate at the deadline between {low} and {high}',
  },
  es: {
    as_table: 'Ver como tabla',
    as_chart: 'Ocultar la tabla',
    day: 'Día',
    that_day: 'Ese día',
    total: 'Total',
    today: 'Hoy',
    goal: 'Meta {sum}',
    estimate: 'Estimación: de {low} a {high}',
    estimate_single: 'Estimación: {sum}',
    estimate_legend: 'Estimación a partir de los últimos 10 días',
    shown: '{title}: {sum} el {day}',
    shown_goal: 'meta: {sum}',
    shown_estimate: 'estimación en la fecha límite: entre {low} y {high}',
  },
});
