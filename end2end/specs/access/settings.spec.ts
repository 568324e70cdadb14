import { audited } from '../../harness/access.ts';
import { Account } from '../../harness/account.ts';
import { ADMIN, addPerson, become } from '../../harness/people.ts';
import { expect, test } from '../../harness/test.ts';

test.beforeEach(({ guard }) => guard.expect(/status of 4\d\d/));

test('A setting is changed, is inherited, and goes back', async ({ page, keys, server }) => {
  const account = await Account.create(server, ['payments']);
  const list = page.getByLabel('Value of registration.allowlist');
  const row = (key: string) => page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: key }) });

  await keys.open(account.path('settings'));
  await expect(row('registration.allowlist')).toContainText('Not set: this is the default.');
  await keys.type(list, '10.0.0.0/8, somewhere');
  await keys.press(page.getByRole('button', { name: 'Save registration.allowlist' }));
  await expect(row('registration.allowlist')).toContainText('registration.allowlist: ');
  await expect(list).toHaveAttribute('aria-invalid', 'true');
  await expect(list).toHaveValue('10.0.0.0/8, somewhere');
  await expect(list).toBeFocused();
  await keys.sound();
  await keys.type(list, '10.0.0.0/8, 192.0.2.7');
  await page.keyboard.press('Enter');
  await expect(row('registration.allowlist')).toContainText('Set here.');
  await expect(list).toHaveValue('10.0.0.0/8, 192.0.2.7');

  const policy = page.getByLabel('Value of delegates.deleted_policy');
  await keys.awake();
  await keys.choose(policy, 'refuse');
  await keys.press(page.getByRole('button', { name: 'Save delegates.deleted_policy' }));
  await expect(row('delegates.deleted_policy')).toContainText('Set here.');
  await keys.open(account.path('settings', 'payments'));
  await expect(policy).toHaveValue('refuse');
  await expect(row('delegates.deleted_policy')).toContainText(`Inherited from ${account.name}.`);

  // What belongs to an account can be read below it, and what belongs to the server is the admin's of all.
  await expect(row('registration.allowlist').getByRole('button')).toHaveCount(0);
  const viewer = `owner@${account.name}.test`;
  await addPerson(server, { email: viewer, scope: account.name, role: 'admin' });
  await become(page, server, viewer);
  await keys.open(account.path('settings'));
  const whole = page.getByRole('region', { name: 'Of the whole server' });
  await expect(whole).toContainText('connectivity.timeout_seconds');
  await expect(whole).toContainText('Needs core_setting_manage in the whole server');
  await expect(whole.getByRole('button')).toHaveCount(0);
  await keys.sound();

  await become(page, server, ADMIN);
  await keys.open(account.path('settings'));
  await keys.press(page.getByRole('button', { name: 'Reset delegates.deleted_policy' }));
  await expect(row('delegates.deleted_policy')).toContainText('Not set: this is the default.');
  await expect(policy).toHaveValue('reappear');
  const [, changed] = await audited(page, keys, account, 'setting.change');
  expect(changed).toContain('registration.allowlist was set to 10.0.0.0/8, 192.0.2.7');
  const [reset] = await audited(page, keys, account, 'setting.reset');
  expect(reset).toContain(`${ADMIN} setting.reset delegates.deleted_policy`);
});

test('An embed key is issued, shown once, and revoked', async ({ page, keys, server, account }) => {
  const field = (label: string) => page.getByLabel(label, { exact: true });
  const row = page.getByRole('row', { name: /^wiki/ });
  await keys.open(account.path('embeds'));
  await expect(page.getByText(`No site may frame the delegates of ${account.name}.`)).toBeVisible();
  await keys.unfold('New embed key');
  await keys.type(field('Name'), 'wiki');
  await keys.reach(field('Sites that may show it'));
  await page.keyboard.type('https://wiki.example/page');
  await keys.type(field('Filter'), 'health=expired');
  await keys.press(page.getByRole('button', { name: 'Issue embed key' }));
  await expect(page.getByText(/^Give one site a line, such as/)).toBeVisible();
  await expect(field('Sites that may show it')).toHaveValue('https://wiki.example/page');
  await expect(field('Filter')).toHaveValue('health=expired');
  await keys.sound();

  await keys.type(field('Sites that may show it'), 'https://wiki.example');
  await keys.press(page.getByRole('button', { name: 'Issue embed key' }));
  const ready = page.getByRole('region', { name: 'Embed key wiki is ready' });
  await expect(ready).toContainText(`<iframe src="${server.url}/embed/`);
  const key = (await page.locator('#secret').innerText()).trim();
  const secret = key.split('.')[1] ?? '';
  expect(secret.length).toBeGreaterThanOrEqual(32);
  await expect(row).toContainText('Active');
  await expect(row).toContainText('https://wiki.example');
  await expect(row).toContainText('health=expired');
  await keys.sound();

  await keys.open(account.path('embeds'));
  expect(await page.content()).not.toContain(secret);
  await keys.press(page.getByRole('button', { name: 'Revoke embed key wiki' }));
  await expect(row).toContainText('Revoked');
  await expect(row.getByRole('button')).toHaveCount(0);
  expect((await audited(page, keys, account, 'embed_key.create'))[0]).toContain(`${ADMIN} embed_key.create wiki`);
  expect((await audited(page, keys, account, 'embed_key.revoke'))[0]).toContain(`${ADMIN} embed_key.revoke wiki`);
});
