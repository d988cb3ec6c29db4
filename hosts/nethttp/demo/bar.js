// The demo's bar: the service's clock on every page, and the way to what moves it.
const bar = document.createElement('aside');
bar.id = 'demo-bar';
bar.setAttribute('aria-label', 'Demo');
bar.lang = 'en';
const time = document.createElement('time');
const link = (href, text) => Object.assign(document.createElement('a'), { href, textContent: text });
const controls = document.createElement('span');
controls.append(link('/demo/', 'Move the clock, settle'), ' · ', link('/demo/mail', 'Mails'));
bar.append('Demo: no real money. The clock says ', time, controls);
const skip = document.querySelector('.skip');
if (skip) skip.after(bar);
else document.body.prepend(bar);

let ahead = 0;
let zone = 'UTC';
const show = () => {
  const now = new Date(Date.now() + ahead);
  time.dateTime = now.toISOString();
  time.textContent = now.toLocaleString('en-US', { year: 'numeric', month: 'long', day: 'numeric', hour: 'numeric', minute: '2-digit', timeZoneName: 'short', timeZone: zone });
};
const ask = async () => {
  try {
    const answer = await (await fetch('/demo/clock')).json();
    ahead = Date.parse(answer.now) - Date.now();
    zone = answer.zone;
    show();
  } catch {
    time.textContent = 'nothing: the demo has stopped';
  }
};
ask();
setInterval(ask, 20000);
setInterval(show, 5000);
