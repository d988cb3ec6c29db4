// Prints the median Lighthouse scores of three runs with the mobile profile: those of the home
// page and a campaign or, with DASHBOARD set, those of the dashboard with a signed-in operator.
import { launch } from 'chrome-launcher';
import lighthouse from 'lighthouse';

const base = process.env.BASE;
const flags = [
  '--headless=new',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const median = (all) => all.sort((a, b) => a - b)[Math.floor(all.length / 2)];

async function judge(path, settings) {
  const chrome = await launch({ chromePath: process.env.CHROMIUM, chromeFlags: flags }); // a new browser, because a changed fragment alone does not load the page again
  const runs = [];
  for (let tries = 0; runs.length < 3; tries++) {
    const { lhr } = await lighthouse(base + path, { port: chrome.port, logLevel: 'silent', ...settings });
    if (lhr.runtimeError?.code === 'NO_NAVSTART' && tries < 6) continue; // a browser that has just started may miss the navigation start
    if (lhr.runtimeError) throw new Error(`${path}: ${lhr.runtimeError.message}`);
    runs.push(lhr);
  }
  await chrome.kill();
  const score = (name) => Math.round(median(runs.map((r) => r.categories[name].score)) * 100);
  const figure = (name) => median(runs.map((r) => r.audits[name].numericValue));
  const scores = [
    `performance ${score('performance')}`,
    `accessibility ${score('accessibility')}`,
    `best practices ${score('best-practices')}`,
    `SEO ${score('seo')}`,
  ];
  const figures = [
    `largest paint ${(figure('largest-contentful-paint') / 1000).toFixed(2)} s`,
    `layout shift ${figure('cumulative-layout-shift').toFixed(3)}`,
    `blocked ${Math.round(figure('total-blocking-time'))} ms`,
    `${Math.round(figure('total-byte-weight') / 1024)} KB`,
  ];
  console.log(`${path}: ${scores.join(', ')}; ${figures.join(', ')}`);
  for (const { auditRefs } of ['accessibility', 'best-practices', 'seo'].map((c) => runs[0].categories[c])) {
    for (const { id } of auditRefs) {
      const { score: one, title } = runs[0].audits[id];
      if (one !== null && one < 1) console.log(`  ${title}`);
    }
  }
}

/** Signs in as an operator and returns the session's cookies. */
async function session() {
  const cookies = new Map();
  const ask = async (path, value) => {
    const answer = await fetch(base + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: base, Cookie: written() },
      body: JSON.stringify(value),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    for (const line of answer.headers.getSetCookie()) cookies.set(...line.split(';')[0].split(/=(.*)/s).slice(0, 2));
  };
  const written = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  await ask('/admin/auth/start', { email: 'ada@example.com' });
  for (const until = Date.now() + 30_000; Date.now() < until; ) {
    const mails = await (await fetch(`${base}/demo/mail`, { headers: { Accept: 'application/json' } })).json();
    const code = mails
      .filter((m) => m.to === 'ada@example.com')
      .map((m) => m.text.match(/\b\d{4} \d{4}\b/)?.[0])
      .find(Boolean);
    if (code) {
      await ask('/admin/auth/sign-in', { code });
      return written();
    }
    await new Promise((go) => setTimeout(go, 50));
  }
  throw new Error('no sign-in mail');
}

if (process.env.DASHBOARD) {
  // The dashboard is excluded from search engines on purpose.
  const settings = {
    disableStorageReset: true,
    extraHeaders: { Cookie: await session() },
    skipAudits: ['is-crawlable'],
  };
  for (const place of ['', '#/campaigns/tidepool-traders', '#/campaigns/tidepool-traders/settlement'])
    await judge(`/admin/${place}`, settings);
} else {
  for (const path of ['/', '/campaigns/night-ferry/']) await judge(path, {});
}
