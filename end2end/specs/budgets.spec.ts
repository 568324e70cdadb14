import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

import { registerAll, replicas } from '../harness/delegate.ts';
import { ROOT } from '../harness/programs.ts';
import { expect, test } from '../harness/test.ts';

const SITE = process.env.ROLLCALL_SITE ?? join(ROOT, 'target/site');
const KB = 1024;

function brotli(content: Buffer): number {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  return brotliCompressSync(content, { params }).length;
}

/** The files of a folder of the site with this ending. */
async function files(folder: string, ending: string): Promise<Buffer[]> {
  const names = (await readdir(join(SITE, folder))).filter((name) => name.endsWith(ending));
  expect(names, `${ending} in ${folder}`).not.toEqual([]);
  return Promise.all(names.map((name) => readFile(join(SITE, folder, name))));
}

function sum(sizes: number[]): number {
  return sizes.reduce((all, size) => all + size, 0);
}

test.describe('Budgets', () => {
  test('wasm of all islands: at most 130 KB brotli', async () => {
    expect(sum((await files('pkg', '.wasm')).map(brotli))).toBeLessThanOrEqual(130 * KB);
  });

  test('JavaScript: at most 12 KB brotli', async () => {
    expect(sum((await files('pkg', '.js')).map(brotli))).toBeLessThanOrEqual(12 * KB);
  });

  test('style sheet: at most 20 KB brotli, without a line break', async () => {
    const sheets = await files('pkg', '.css');
    expect(sum(sheets.map(brotli))).toBeLessThanOrEqual(20 * KB);
    for (const sheet of sheets) expect(sheet.toString().trim()).not.toContain('\n');
  });

  test('fonts: at most 60 KB', async () => {
    expect(sum((await files('fonts', '.woff2')).map(({ length }) => length))).toBeLessThanOrEqual(60 * KB);
  });

  test('HTML of the overview with 25 groups: at most 30 KB brotli, closed and open', async ({ page, account, versions }) => {
    const states = [versions.expired, versions.near, versions.unsupported, versions.latest];
    const profiles = Array.from({ length: 25 }, (_, n) =>
      replicas(3, {
        name: `payments-eu-west-cluster-${n}`,
        version: states[n % states.length],
        tags: [`region-${n % 5}`, 'production', `team-${n}`, 'linux'],
        description: `Deployment number ${n}`,
      }),
    );
    await registerAll(account, profiles.flat());
    await page.goto(account.page('', 'size=25'));
    await expect(page.getByRole('navigation', { name: 'Pages of groups' })).toContainText('1–25 of 25');
    for (const query of ['size=25', 'size=25&health=expired']) {
      const answer = await fetch(account.server.url + account.page('', query), { headers: account.server.headers });
      expect(answer.status, query).toBe(200);
      expect(brotli(Buffer.from(await answer.arrayBuffer())), query).toBeLessThanOrEqual(30 * KB);
    }
  });

  test('pages come compressed, files with a hash in their name are kept for ever', async ({ shown, server }) => {
    const answer = await fetch(server.url + shown.account.page(), {
      headers: { ...server.headers, 'accept-encoding': 'br' },
    });
    expect(answer.headers.get('content-encoding')).toBe('br');
    const html = await answer.text();
    const assets = [...html.matchAll(/"(\/pkg\/[^"]+\.(?:css|js|wasm))"/g)].map(([, path]) => path ?? '');
    expect(assets.length).toBeGreaterThanOrEqual(3);
    for (const path of assets) {
      const asset = await fetch(server.url + path, { headers: { 'accept-encoding': 'br' } });
      expect(asset.status, path).toBe(200);
      expect(asset.headers.get('cache-control'), path).toContain('immutable');
      expect(asset.headers.get('content-encoding'), path).toBe('br');
    }
  });
});
