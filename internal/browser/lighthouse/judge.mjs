// Lighthouse's judgement of the home page and a campaign, by its mobile profile: the
// median of three.
import { launch } from 'chrome-launcher';
import lighthouse from 'lighthouse';

const chrome = await launch({
  chromePath: process.env.CHROMIUM,
  chromeFlags: ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
const median = (all) => all.sort((a, b) => a - b)[Math.floor(all.length / 2)];
for (const path of ['/', '/campaigns/night-ferry/']) {
  const runs = [];
  for (let n = 0; n < 3; n++) runs.push((await lighthouse(process.env.BASE + path, { port: chrome.port, logLevel: 'silent' })).lhr);
  const score = (name) => Math.round(median(runs.map((r) => r.categories[name].score)) * 100);
  const figure = (name) => median(runs.map((r) => r.audits[name].numericValue));
  console.log(
    `${path}: performance ${score('performance')}, accessibility ${score('accessibility')}, best practices ${score('best-practices')}, SEO ${score('seo')}; ` +
      `largest paint ${(figure('largest-contentful-paint') / 1000).toFixed(2)} s, layout shift ${figure('cumulative-layout-shift').toFixed(3)}, blocked ${Math.round(figure('total-blocking-time'))} ms, ${Math.round(figure('total-byte-weight') / 1024)} KB`,
  );
}
await chrome.kill();
