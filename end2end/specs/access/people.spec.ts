import { audited, tries } from '../../harness/access.ts';
import { ADMIN, PASSWORD, session } from '../../harness/people.ts';
import { expect, test } from '../../harness/test.ts';

test.beforeEach(({ guard }) => guard.expect(/status of 4\d\d/));

test('Somebody is added, given another role, shut out and let in', async ({ page, keys, server, account }) => {
  const email = `vera@${account.name}.test`;
  const field = (label: string) => page.getByLabel(label, { exact: true });
  const row = page.getByRole('row', { name: new RegExp(`^${email}`) });

  await keys.open(account.path('users'));
  const own = page.getByRole('row', { name: new RegExp(`^${ADMIN}`) });
  await expect(own).toContainText('Admin in the whole server');
  // Nobody shuts themselves out by mistake.
  await expect(own.getByRole('button')).toHaveCount(0);
  await keys.unfold('Give a role');
  await keys.sound();
  await keys.type(field('E-mail'), email);
  await keys.type(field('Name'), 'Vera');
  await keys.type(field('First password'), 'short');
  await keys.choose(field('Role'), 'Viewer');
  await keys.press(page.getByRole('button', { name: 'Give role' }));
  await expect(page.getByText('Give at least 12 characters.')).toBeVisible();
  await expect(field('E-mail')).toHaveValue(email);
  await expect(field('Role').locator('option:checked')).toHaveText('Viewer');
  await expect(row).toHaveCount(0);
  await keys.sound();
  await keys.type(field('First password'), PASSWORD);
  await keys.press(page.getByRole('button', { name: 'Give role' }));
  await expect(row).toContainText(`Viewer in ${account.name}`);
  await expect(row).toContainText('never');
  expect(await tries(account, email, PASSWORD)).toBe(303);

  await keys.open(account.path('users'));
  await keys.unfold('Give a role');
  await keys.type(field('E-mail'), email);
  await keys.choose(field('Role'), 'Operator');
  await keys.type(field('Only for these delegates'), '_edge, _core');
  await keys.press(page.getByRole('button', { name: 'Give role' }));
  await expect(row).toContainText(`Operator in ${account.name} for _core, _edge`);
  await keys.sound();
  await keys.press(page.getByRole('button', { name: `Remove Viewer from ${email}` }));
  await expect(row).not.toContainText('Viewer');
  await expect(row).toContainText('Operator');

  const cookie = await session(server, email);
  const enter = () =>
    fetch(server.url + account.page(), { redirect: 'manual', headers: { cookie: `${cookie.name}=${cookie.value}` } });
  expect((await enter()).status).toBe(200);
  await keys.press(page.getByRole('button', { name: `Sign out ${email} everywhere` }));
  await expect(page).toHaveURL(account.path('users'));
  await expect.poll(async () => (await enter()).status).toBe(303);
  await keys.awake();
  await keys.press(page.getByRole('button', { name: `Disable ${email}` }));
  await expect(row).toContainText('Disabled');
  expect(await tries(account, email, PASSWORD)).toBe(422);
  await keys.awake();
  await keys.press(page.getByRole('button', { name: `Enable ${email}` }));
  await expect(row).not.toContainText('Disabled');
  expect(await tries(account, email, PASSWORD)).toBe(303);

  await keys.awake();
  await keys.press(page.getByRole('button', { name: `Remove Operator from ${email}` }));
  await expect(row).toHaveCount(0);
  for (const [action, count] of [
    ['user.create', 1],
    ['assignment.create', 2],
    ['assignment.delete', 2],
    ['user.disable', 1],
    ['user.enable', 1],
    ['user.sign_out', 1],
  ] as const) {
    const lines = await audited(page, keys, account, action);
    expect(lines.filter((line) => line.includes(email) && line.includes(ADMIN)), action).toHaveLength(count);
  }
});

test('A role is made, given, changed, and deleted once nobody has it', async ({ page, keys, account }) => {
  const email = `night@${account.name}.test`;
  const card = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Night shift' }) });
  const made = page.locator('details').filter({ hasText: 'New role' });
  const changed = card.locator('details');

  await keys.open(account.path('roles'));
  for (const name of ['Admin', 'Operator', 'Viewer']) {
    await expect(page.getByRole('listitem').filter({ has: page.getByRole('heading', { name, exact: true }) })).toContainText('Built in');
  }
  await keys.unfold('New role');
  const view = made.getByRole('checkbox', { name: /core_delegate_view/ });
  await expect(view).toBeChecked();
  await expect(view).toBeDisabled();
  await expect(made.getByText('Always on: whoever has any role in a scope sees its delegates.')).toBeVisible();
  await keys.sound();
  await keys.type(made.getByLabel('Name', { exact: true }), 'Viewer');
  await keys.tick(made.getByRole('checkbox', { name: /core_delegate_delete/ }));
  await keys.press(made.getByRole('button', { name: 'Create role' }));
  await expect(made.getByText('Give a name with letters or digits that no built-in role has.')).toBeVisible();
  await expect(made.getByRole('checkbox', { name: /core_delegate_delete/ })).toBeChecked();
  await keys.sound();
  await keys.type(made.getByLabel('Name', { exact: true }), 'Night shift');
  await keys.press(made.getByRole('button', { name: 'Create role' }));
  await expect(card).toContainText('0 assignments');
  await expect(card.getByRole('list').first().getByRole('listitem')).toHaveText([/core_delegate_view$/, /core_delegate_delete$/]);

  await keys.open(account.path('users'));
  await keys.unfold('Give a role');
  await keys.type(page.getByLabel('E-mail', { exact: true }), email);
  await keys.choose(page.getByLabel('Role', { exact: true }), `Night shift (${account.name})`);
  await keys.press(page.getByRole('button', { name: 'Give role' }));
  await expect(page.getByRole('row', { name: new RegExp(`^${email}`) })).toContainText(`Night shift in ${account.name}`);

  await keys.open(account.path('roles'));
  await expect(card).toContainText('1 assignment');
  await expect(card.getByRole('button', { name: /^Delete role Night shift\. Somebody still has this role/ })).toHaveAttribute(
    'aria-disabled',
    'true',
  );
  await keys.unfold('Change Night shift');
  await keys.tick(changed.getByRole('checkbox', { name: /core_delegate_edit/ }));
  await keys.sound();
  await keys.press(changed.getByRole('button', { name: 'Save role' }));
  await expect(card.getByRole('list').first().getByRole('listitem')).toHaveText([
    /core_delegate_view$/,
    /core_delegate_edit$/,
    /core_delegate_delete$/,
  ]);

  await keys.open(account.path('users'));
  await keys.press(page.getByRole('button', { name: `Remove Night shift from ${email}` }));
  await expect(page.getByRole('row', { name: new RegExp(`^${email}`) })).toHaveCount(0);
  await keys.open(account.path('roles'));
  await keys.press(page.getByRole('button', { name: 'Delete role Night shift', exact: true }));
  await expect(card).toHaveCount(0);
  for (const action of ['role.create', 'role.change', 'role.delete']) {
    expect((await audited(page, keys, account, action))[0], action).toContain(`${ADMIN} ${action} Night shift`);
  }
});
