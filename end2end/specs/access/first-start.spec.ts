import { PASSWORD } from '../../harness/people.ts';
import { Server } from '../../harness/server.ts';
import { expect, test } from '../../harness/test.ts';

test.use({ storageState: { cookies: [], origins: [] } });

test('The link of the first start makes the first admin, once', async ({ page, keys, guard }) => {
  guard.expect(/status of 4\d\d/);
  const server = await Server.create({ admin: false });
  const field = (name: string) => page.getByLabel(name, { exact: true });
  try {
    const link = server.setupLink ?? '';
    expect(link).toContain(`${server.url}/setup/`);

    await keys.open(server.url);
    await expect(page).toHaveURL(`${server.url}/sign-in?next=%2F`);
    await expect(page.getByText(/^Nobody can sign in yet/)).toBeVisible();
    await keys.sound();

    await keys.open(link);
    await expect(page.getByRole('heading', { level: 1, name: 'Make the first admin' })).toBeVisible();
    await keys.sound();
    await keys.type(field('Account'), 'acme');
    await keys.type(field('E-mail'), 'Ana@Example.test');
    await keys.type(field('Name'), 'Ana Lima');
    await keys.type(field('Password'), 'too short');
    await page.keyboard.press('Enter');
    await expect(page.getByText('Give at least 12 characters.')).toBeVisible();
    await expect(field('Account')).toHaveValue('acme');
    await expect(field('E-mail')).toHaveValue('Ana@Example.test');
    await expect(field('Password')).toHaveValue('');
    await expect(field('Password')).toBeFocused();
    await keys.sound();

    await keys.type(field('Password'), PASSWORD);
    await keys.press(page.getByRole('button', { name: 'Make admin and sign in' }));
    await expect(page).toHaveURL(`${server.url}/a/acme/delegates`);
    await expect(page.getByRole('heading', { name: 'No delegates in account acme yet' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Account of Ana Lima' })).toBeVisible();
    await keys.sound();
    await keys.open(`${server.url}/a/acme/users`);
    await expect(page.getByRole('row', { name: /^ana@example\.test/ })).toContainText('Admin in the whole server');

    const again = await page.goto(link);
    expect(again?.status()).toBe(404);
    await expect(page.getByText('This link does not exist, or no longer.')).toBeVisible();

    // The password opens what the link has made.
    await page.context().clearCookies();
    await keys.open(server.url);
    await expect(page.getByText(/^Nobody can sign in yet/)).toHaveCount(0);
    await keys.type(field('E-mail'), 'ana@example.test');
    await keys.type(field('Password'), PASSWORD);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(`${server.url}/a/acme/delegates`);
    await keys.open(`${server.url}/a/acme/audit`);
    await expect(page.getByText('Nothing was recorded that these filters let through.')).toHaveCount(0);
    await expect(page.getByRole('cell', { name: /^assignment\.create/ }).first()).toBeVisible();
  } finally {
    await page.goto('about:blank');
    await server.dispose();
  }
});
