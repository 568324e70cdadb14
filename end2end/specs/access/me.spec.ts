import { audited, tries } from '../../harness/access.ts';
import { ADMIN, PASSWORD, addPerson, become, session } from '../../harness/people.ts';
import { expect, test } from '../../harness/test.ts';

test.beforeEach(({ guard }) => guard.expect(/status of 4\d\d/));

test('The own password is changed, which ends every other session', async ({ page, keys, server, account }) => {
  const email = `vera@${account.name}.test`;
  await addPerson(server, { email, scope: account.name, role: 'viewer', name: 'Vera' });
  await become(page, server, email);
  const other = await session(server, email);
  const elsewhere = () =>
    fetch(`${server.url}/me`, { redirect: 'manual', headers: { cookie: `${other.name}=${other.value}` } });
  const field = (label: string) => page.getByLabel(label, { exact: true });

  await keys.open('/me');
  await expect(page.getByRole('heading', { level: 2, name: 'Vera' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Your roles' })).toContainText(`Viewer in ${account.name}`);
  const rows = page.getByRole('region', { name: 'Where you are signed in' }).first().getByRole('row');
  await expect(rows).toHaveCount(3);
  await expect(rows.filter({ hasText: 'This one' })).toHaveCount(1);
  expect((await elsewhere()).status).toBe(200);
  await keys.unfold('Change password');
  await keys.sound();

  await keys.type(field('Current password'), 'not the right one');
  await keys.type(field('New password'), 'green whales sing high');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toBeVisible();
  await expect(field('Current password')).toHaveAttribute('aria-invalid', 'true');
  await expect(field('Current password')).toHaveValue('');
  await expect(field('New password')).toHaveValue('');
  expect(await page.content()).not.toContain('green whales');
  await keys.sound();
  expect(await tries(account, email, PASSWORD)).toBe(303);

  await keys.type(field('Current password'), PASSWORD);
  await keys.type(field('New password'), 'green whales sing high');
  await keys.press(page.getByRole('button', { name: 'Change password' }));
  await expect(page.getByRole('alert')).toHaveCount(0);
  await expect(rows).toHaveCount(2);
  expect((await elsewhere()).status).toBe(303);
  expect(await tries(account, email, PASSWORD)).toBe(422);
  expect(await tries(account, email, 'green whales sing high')).toBe(303);

  // The sign-in just made ends, this one stays.
  await keys.open('/me');
  await expect(rows).toHaveCount(3);
  await keys.press(page.getByRole('button', { name: 'Sign out everywhere else' }));
  await expect(rows).toHaveCount(2);
  await keys.open(account.page());
  await expect(page.getByRole('heading', { level: 1, name: 'Delegates' })).toBeVisible();
});

test('An API key is shown once, works for a tool, and stops when it is revoked', async ({ page, keys, server, account }) => {
  const email = `tools@${account.name}.test`;
  await addPerson(server, { email, scope: account.name, role: 'viewer' });
  await become(page, server, email);
  const field = (label: string) => page.getByLabel(label, { exact: true });
  await keys.open('/me');
  await expect(page.getByText('You have no API key.')).toBeVisible();
  await keys.unfold('New API key');
  await keys.type(field('Name'), 'nightly');
  await expect(field('Scope').locator('option')).toHaveText([account.name]);
  await keys.type(field('Ends after days'), '30');
  await keys.sound();
  await keys.press(page.getByRole('button', { name: 'Create API key' }));
  await expect(page.getByRole('region', { name: 'API key nightly is ready' })).toContainText('x-api-key');
  const key = (await page.locator('#secret').innerText()).trim();
  expect(key).toMatch(new RegExp(`^pat\\.${account.name}\\.`));
  await keys.sound();

  const call = (path: string) => fetch(server.url + path, { headers: { 'x-api-key': key } });
  expect((await call(account.api())).status).toBe(200);
  // It may do what its owner may, and no more.
  expect((await call(`/api/v1/accounts/${account.name}/audit`)).status).toBe(403);
  const row = page.getByRole('row', { name: /^nightly/ });
  await keys.open('/me');
  expect(await page.content()).not.toContain(key.split('.').at(-1) ?? key);
  await expect(row).toContainText(account.name);
  await expect(row).not.toContainText('never');
  await keys.press(page.getByRole('button', { name: 'Revoke API key nightly' }));
  await expect(row).toHaveCount(0);
  expect((await call(account.api())).status).toBe(401);

  await become(page, server, ADMIN);
  expect((await audited(page, keys, account, 'api_key.create'))[0]).toContain(`${email} api_key.create nightly`);
  expect((await audited(page, keys, account, 'api_key.revoke'))[0]).toContain(`${email} api_key.revoke nightly`);
});
