import { audited } from '../../harness/access.ts';
import { Account } from '../../harness/account.ts';
import { registerAll } from '../../harness/delegate.ts';
import { expect, test } from '../../harness/test.ts';

test.beforeEach(({ guard }) => guard.expect(/status of 4\d\d/));

test('Delegates of another server are shown beside the own ones, and only looked at', async ({ page, keys, server, versions }) => {
  const there = await Account.create(server, ['payments']);
  const here = await Account.create(server);
  await registerAll(there, [{ name: 'far', version: versions.latest }]);
  await registerAll(here, [{ name: 'near', version: versions.latest }]);
  const field = (label: string) => page.getByLabel(label, { exact: true });
  const row = page.getByRole('row', { name: /^east/ });

  await keys.open(here.path('mirrors'));
  await expect(page.getByText(`No other server's delegates are shown in ${here.name}.`)).toBeVisible();
  await keys.unfold('New mirror');
  await keys.type(field('Address of the server'), 'https://wiki.example?x=1');
  await keys.type(field('API key of that server'), there.headers['x-api-key'] ?? '');
  await keys.type(field('Name'), 'east');
  await keys.press(page.getByRole('button', { name: 'Add mirror' }));
  await expect(page.getByText(/is not the address of a server/)).toBeVisible();
  await expect(field('API key of that server')).toHaveValue('');
  await keys.sound();
  await keys.type(field('Address of the server'), server.url);
  await keys.type(field('API key of that server'), there.headers['x-api-key'] ?? '');
  await keys.press(page.getByRole('button', { name: 'Add mirror' }));
  await expect(page.getByText('Added; its delegates are shown in a moment.')).toBeVisible();
  await expect(async () => {
    await keys.open(here.path('mirrors'));
    await expect(row).toContainText('Up to date', { timeout: 500 });
  }).toPass();
  await expect(row).toContainText(there.name);
  await expect(row).toContainText('1 instance');
  await keys.sound();

  await keys.open(here.page());
  const far = page.getByRole('row', { name: /far/ });
  await expect(far).toContainText('east');
  await expect(far).toContainText('Connected');
  await expect(far.getByRole('checkbox')).toHaveCount(0);
  await expect(page.getByRole('row', { name: /near/ }).getByRole('checkbox')).toHaveCount(1);
  await keys.press(far.getByRole('link', { name: 'far', exact: true }));
  await expect(page.getByText(/^Mirrored from east, as of /)).toBeVisible();
  await expect(page.getByRole('link', { name: /Delete/ })).toHaveCount(0);
  await expect(page.getByRole('link', { name: 'Troubleshoot' })).toHaveCount(0);
  await keys.sound();
  await keys.open(here.page('', 'source=mirror'));
  await expect(page.getByRole('row', { name: /near/ })).toHaveCount(0);
  await expect(far).toBeVisible();

  await keys.open(here.path('mirrors'));
  await keys.press(page.getByRole('button', { name: 'Remove mirror east' }));
  await expect(page.getByText('Removed; its delegates are shown no more.')).toBeVisible();
  await expect(async () => {
    await keys.open(here.page());
    await expect(far).toHaveCount(0, { timeout: 500 });
  }).toPass();
  const [removed] = await audited(page, keys, here, 'mirror.remove');
  expect(removed).toContain('are not mirrored any more');
});
