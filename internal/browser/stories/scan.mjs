// Opens the links on standard input as a mail scanner does: each in a new browser context, with
// scripts enabled and a minute for their timers, without clicking anything. Prints the response
// status and the requests of each page.
import { text } from 'node:stream/consumers';
import { chromium } from 'playwright-core';

const base = process.env.BASE;
const links = JSON.parse(await text(process.stdin));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu'],
});

async function scan(link) {
  const context = await browser.newContext();
  await context.route(
    (url) => url.origin !== base,
    (route) => route.abort(),
  );
  const page = await context.newPage();
  await page.clock.install();
  const asked = [];
  const pending = new Set();
  const finish = (r) => pending.delete(r);
  page.on('request', (r) => {
    if (r.resourceType() !== 'eventsource') pending.add(r);
    if (r.method() !== 'GET' || r.resourceType() === 'fetch') asked.push(`${r.method()} ${new URL(r.url()).pathname}`);
  });
  page.on('requestfinished', finish);
  page.on('requestfailed', finish);
  const answer = await page.goto(link, { waitUntil: 'load' });
  const waitForRequests = async () => {
    for (let calm = 0, turn = 0; calm < 3 && turn < 100; turn += 1) {
      await new Promise((go) => setTimeout(go, 50));
      calm = pending.size > 0 ? 0 : calm + 1;
    }
  };
  await waitForRequests();
  await page.clock.fastForward('01:00');
  await waitForRequests();
  const seen = {
    link,
    status: answer?.status() ?? 0,
    asked,
    words: (await page.locator('body').innerText()).trim().length,
  };
  await context.close();
  return seen;
}

await Promise.all(
  Array.from({ length: 4 }, async () => {
    for (let link = links.pop(); link; link = links.pop()) console.log(JSON.stringify(await scan(link)));
  }),
);
await browser.close();
