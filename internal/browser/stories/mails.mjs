// Opens all mails of a folder on a small phone, in light and dark mode, and checks their width and
// accessibility. Prints the problems. If SHOTS is set to a folder, it also takes screenshots, on the
// phone and on a desktop.
import { mkdirSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const { MAILS: folder, SHOTS: shots } = process.env;
const mails = readdirSync(folder).filter((name) => name.endsWith('.html') && name !== 'index.html');
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu'],
});
const wrong = [];
if (shots) mkdirSync(shots, { recursive: true });

for (const [device, width] of Object.entries(shots ? { phone: 320, desk: 1000 } : { phone: 320 })) {
  for (const colorScheme of ['light', 'dark']) {
    const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme, offline: true });
    const page = await context.newPage();
    for (const mail of mails) {
      await page.goto(pathToFileURL(`${folder}/${mail}`).href);
      const where = `${mail}, ${device}, ${colorScheme}`;
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      if (wide > width) wrong.push(`${where}: ${wide} pixels wide`);
      if (shots)
        await page.screenshot({
          path: `${shots}/${mail.replace(/html$/, '')}${device}-${colorScheme}.png`,
          fullPage: true,
        });
      if (!mail.includes('.en.')) continue; // the others have the same layout
      await page.addScriptTag({ path: axe });
      const { violations, passes } = await page.evaluate(() =>
        window.axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] }),
      );
      for (const v of violations)
        wrong.push(`${where}: ${v.id}: ${v.nodes.map((n) => n.html.slice(0, 120)).join(' ')}`);
      if (!passes.some((p) => p.id === 'color-contrast')) wrong.push(`${where}: no contrast was measured`);
    }
    await context.close();
  }
}
await browser.close();
if (mails.length < 20) wrong.push(`only ${mails.length} mails`);
console.log(`${mails.length} mails`);
if (wrong.length) {
  console.log(wrong.join('\n'));
  process.exit(1);
}
