import { readFile } from 'node:fs/promises';

import type { Page } from '@playwright/test';

import { Account } from '../../harness/account.ts';
import { registerAll } from '../../harness/delegate.ts';
import { ADMIN, addPerson, become, session } from '../../harness/people.ts';
import type { Server } from '../../harness/server.ts';
import { expect, test } from '../../harness/test.ts';

interface Line {
  at: number;
  actor: string;
  action: string;
  resource: string;
  name: string;
  scope: string;
  summary: string;
}

/** Sends a form as the browser of somebody does. */
async function send(server: Server, email: string, path: string, fields: Record<string, string>): Promise<void> {
  const { name, value } = await session(server, email);
  const answer = await fetch(server.url + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: server.url, cookie: `${name}=${value}` },
    body: new URLSearchParams(fields),
  });
  expect(answer.status, path).toBeLessThan(400);
}

const lines = (page: Page) => page.getByRole('row').filter({ has: page.getByRole('rowheader') }).filter({ has: page.getByRole('cell').nth(4) });
/** The log itself; lines of what was before and after lie inside. */
const log = (page: Page) => page.getByRole('table', { name: /^Audit log of/ });

test('The audit log tells who did what where, is filtered, and exported', async ({ page, keys, server, versions, guard }) => {
  guard.expect(/status of 400/);
  const account = await Account.create(server, ['payments']);
  const operator = `olga@${account.name}.test`;
  await addPerson(server, { email: operator, scope: account.name, role: 'operator' });
  await send(server, operator, account.path('tokens'), { name: 'green', days: '' });
  await send(server, operator, account.path('tokens', 'payments'), { name: 'below', days: '' });
  await send(server, ADMIN, account.path('settings'), { key: 'approval.required', value: 'true' });
  await registerAll(account, [{ name: '=danger', version: versions.latest }]);

  await keys.open(account.path('audit'));
  await expect(log(page)).toContainText('Token green was created');
  await expect(log(page)).not.toContainText('Token below was created');
  // What delegates do by themselves is told of the server.
  const registered = lines(page).filter({ hasText: '=danger' }).first();
  await expect(registered).toContainText('SYSTEM');
  const setting = lines(page).filter({ hasText: 'setting.change' });
  await keys.press(setting.locator('summary'));
  await expect(setting.getByRole('table', { name: 'Change of approval.required' })).toContainText(/approval\.required\s*none\s*true/);
  await keys.sound();

  await keys.tick(page.getByRole('checkbox', { name: 'Scopes below too' }));
  await keys.type(page.getByLabel('User', { exact: true }), 'OLGA@');
  await keys.choose(page.getByLabel('Action', { exact: true }), 'token.create');
  await keys.press(page.getByRole('button', { name: 'Apply' }));
  await expect(page).toHaveURL(/user=OLGA%40&action=token\.create/);
  await expect(lines(page)).toHaveCount(2);
  await expect(lines(page).first()).toContainText(`${account.name}/payments`);
  await expect(lines(page).nth(1)).toContainText('Token green was created');
  await expect(page.getByLabel('User', { exact: true })).toHaveValue('OLGA@');
  await keys.sound();

  // The export has the same filters, in three forms.
  const exported: Record<string, string> = {};
  for (const word of ['CSV', 'JSON', 'JSON, one line each']) {
    await keys.press(page.getByRole('button', { name: 'Export' }));
    const download = page.waitForEvent('download');
    await keys.press(page.getByRole('link', { name: word, exact: true }));
    exported[word] = await readFile(await (await download).path(), 'utf8');
    await page.keyboard.press('Escape');
  }
  const json = JSON.parse(exported.JSON ?? '') as Line[];
  expect(json.map(({ name, scope }) => `${name} ${scope}`)).toEqual([`below ${account.name}/payments`, `green ${account.name}`]);
  expect(json[0]).toMatchObject({ actor: operator, action: 'token.create', resource: 'token' });
  const single = (exported['JSON, one line each'] ?? '').trim().split('\n').map((line) => JSON.parse(line) as Line);
  expect(single).toEqual(json);
  const [head, ...rows] = (exported.CSV ?? '').trim().split('\r\n');
  expect(head).toBe('time,actor,action,resource,name,scope,summary,before,after');
  expect(rows).toHaveLength(2);

  // A spreadsheet does not run what a delegate calls itself.
  const csv = await fetch(`${server.url}/api/v1/accounts/${account.name}/audit?format=csv`, { headers: account.headers });
  const text = await csv.text();
  expect(text).toContain('=danger');
  expect(text).not.toMatch(/(^|,)"?=danger/m);

  await keys.press(page.getByRole('link', { name: 'Clear filters' }));
  await expect(page).toHaveURL(account.path('audit'));
  await keys.open(`${account.path('audit')}?user=nobody`);
  await expect(page.getByText('Nothing was recorded that these filters let through.')).toBeVisible();
  const answer = await page.goto(`${account.path('audit')}?from=yesterday`);
  expect(answer?.status()).toBe(400);
  await expect(page.getByText(/^Parameter from: a day such as/)).toBeVisible();

  // An operator may read the log; it says what a viewer may not.
  await become(page, server, operator);
  await keys.open(account.path('audit'));
  await expect(log(page)).toContainText('Token green was created');
});
