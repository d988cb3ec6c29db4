// The demo's bar: the service's clock on every page, and the way to what moves it.
const lang = document.documentElement.lang === 'es' ? 'es' : 'en';
const words = {
  en: {
    lead: 'Demo: no real money. The clock says ',
    settle: 'Move the clock, settle',
    mails: 'Mails',
    over: 'nothing: the demo has stopped',
  },
  es: {
    lead: 'Demo: sin dinero real. El reloj marca ',
    settle: 'Mover el reloj, cobrar',
    mails: 'Correos',
    over: 'nada: la demo se ha parado',
  },
}[lang];
const bar = document.createElement('aside');
bar.id = 'demo-bar';
bar.setAttribute('aria-label', 'Demo');
bar.lang = lang;
const time = document.createElement('time');
const link = (href, text) => Object.assign(document.createElement('a'), { href, textContent: text, hreflang: 'en' });
const controls = document.createElement('span');
controls.append(link('/demo/', words.settle), ' · ', link('/demo/mail', words.mails));
bar.append(words.lead, time, controls);
const skip = document.querySelector('.skip');
if (skip) skip.after(bar);
else document.body.prepend(bar);

let ahead = 0;
let zone = 'UTC';
const show = () => {
  const now = new Date(Date.now() + ahead);
  const part = (options) => new Intl.DateTimeFormat(lang, { timeZone: zone, ...options }).format(now);
  const name = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'short' })
    .formatToParts(now)
    .find((p) => p.type === 'timeZoneName').value;
  time.dateTime = now.toISOString();
  time.textContent = `${part({ dateStyle: 'long' })}, ${part({ timeStyle: 'short' })} ${name}`; // as the pages write it
};
const ask = async () => {
  try {
    const answer = await (await fetch('/demo/clock')).json();
    ahead = Date.parse(answer.now) - Date.now();
    zone = answer.zone;
    show();
  } catch {
    time.textContent = words.over;
  }
};
ask();
setInterval(ask, 20000);
setInterval(show, 5000);
