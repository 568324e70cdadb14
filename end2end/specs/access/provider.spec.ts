import { Account } from '../../harness/account.ts';
import { ADMIN, PASSWORD } from '../../harness/people.ts';
import { Provider } from '../../harness/provider.ts';
import { expect, test } from '../../harness/test.ts';

test.use({ storageState: { cookies: [], origins: [] } });

test('People of an identity provider come in with the roles of their groups', async ({ page, keys, guard }) => {
  guard.expect(/status of 4\d\d/, /favicon/);
  const provider = await Provider.create(['fleet-admins', 'acme', 'admin'], ['everyone', 'acme', 'viewer']);
  const { server } = provider;
  const as = async (who: string) => {
    // The provider would remember who came before.
    await page.context().clearCookies();
    await keys.press(page.getByRole('link', { name: 'Continue with Example ID' }));
    await expect(page.getByRole('heading', { name: 'Who are you?' })).toBeVisible();
    await keys.press(page.getByRole('button', { name: who, exact: true }));
  };
  const out = async () => {
    await keys.awake();
    await keys.press(page.getByRole('button', { name: /^Account of/ }));
    await keys.press(page.getByRole('button', { name: 'Sign out', exact: true }));
    await expect(page.getByRole('heading', { level: 1, name: 'Sign in to Rollcall' })).toBeVisible();
  };
  try {
    const account = await Account.create(server, [], 'acme');
    const view = server.url + account.page('', 'search=a%26b');
    await keys.open(view);
    await expect(page.getByRole('heading', { level: 1, name: 'Sign in to Rollcall' })).toBeVisible();
    await keys.sound();
    await as('ana');
    await expect(page).toHaveURL(view);
    await expect(page.getByRole('button', { name: 'Account of Ana Lima' })).toBeVisible();
    await keys.open(`${server.url}/me`);
    await expect(page.getByText('Change password')).toHaveCount(0);
    const roles = page.getByRole('region', { name: 'Your roles' });
    await expect(roles).toContainText('Admin in acme From SSO');
    await expect(roles).toContainText('Viewer in acme From SSO');
    await keys.sound();

    // Roles of the provider are seen, and changed there.
    await keys.open(server.url + account.path('users'));
    const row = page.getByRole('row', { name: /^ana@acme\.example/ });
    await expect(row).toContainText('SSO');
    await expect(row.getByRole('button', { name: /^Remove/ })).toHaveCount(0);
    await keys.sound();
    await out();

    await as('bo');
    await expect(page.getByRole('button', { name: 'Account of Bo' })).toBeVisible();
    await keys.open(server.url + account.path('users'));
    await expect(page.getByRole('heading', { level: 1, name: 'You may not see this page' })).toBeVisible();
    await keys.open(server.url);
    await out();

    for (const [who, says] of [
      ['stranger', 'None of your groups at the identity provider has a role here. Ask an administrator.'],
      ['nomail', 'The identity provider gave no verified e-mail address for you. Ask an administrator.'],
      ['nobody', 'The identity provider reports that the sign-in was declined.'],
    ] as const) {
      await as(who);
      await expect(page.getByRole('alert')).toHaveText(says);
      await expect(page.getByRole('heading', { level: 1, name: 'Sign in to Rollcall' })).toBeVisible();
      const session = (await page.context().cookies(server.url)).filter(({ name }) => name === 'rollcall_session');
      expect(session, who).toEqual([]);
    }
    await keys.sound();

    // A password is still a way in.
    await keys.type(page.getByLabel('E-mail', { exact: true }), ADMIN);
    await keys.type(page.getByLabel('Password', { exact: true }), PASSWORD);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('button', { name: `Account of ${ADMIN}` })).toBeVisible();
  } finally {
    await page.goto('about:blank');
    await provider.dispose();
  }
});
