import { fleet } from '../../harness/api.ts';
import { registerAll, replicas } from '../../harness/delegate.ts';
import { Delegates } from '../../harness/pages.ts';
import { addPerson, become } from '../../harness/people.ts';
import { expect, test } from '../../harness/test.ts';

test('Who may only look sees what is denied, and why', async ({ page, keys, server, account, versions, guard }) => {
  guard.expect(/status of 403/);
  await registerAll(account, replicas(2, { name: 'edge', version: versions.latest }));
  const [edge] = (await fleet(account)).delegates;
  const [pod] = edge?.delegateReplicas ?? [];
  const viewer = `viewer@${account.name}.test`;
  await addPerson(server, { email: viewer, scope: account.name, role: 'viewer', name: 'Vera' });
  await become(page, server, viewer);
  const delegates = new Delegates(page);
  const why = (permission: string) => `Needs ${permission} in account ${account.name}: your roles there do not hold it`;

  await keys.open(account.page());
  await expect(page.getByRole('checkbox', { name: 'Select edge' })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Delete selected…' })).toHaveCount(0);
  const item = await keys.item(delegates.group('edge').getByRole('button', { name: 'Actions for edge' }), 'Delete…');
  await expect(item).toHaveAttribute('aria-disabled', 'true');
  await expect(item).toContainText(why('core_delegate_delete'));
  await keys.sound();
  await expect(item).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(account.page());
  await expect(page.getByRole('heading', { name: /^Delete/ })).toHaveCount(0);
  await page.keyboard.press('Escape');

  // The same on the page of the group, and for one instance.
  await keys.open(account.groupPage('_edge'));
  await expect(page.getByRole('button', { name: 'Delete…' })).toHaveAttribute('aria-disabled', 'true');
  await expect(page.getByRole('main').getByText(why('core_delegate_delete')).first()).toBeVisible();
  await expect(page.getByRole('button', { name: `Delete instance ${pod?.hostName}. ${why('core_delegate_delete')}` })).toHaveAttribute(
    'aria-disabled',
    'true',
  );
  await keys.sound();

  // Whoever knows the addresses gets no further.
  for (const [path, permission] of [
    [`${account.groupPage('_edge')}/delete`, 'core_delegate_delete'],
    [`${account.groupPage('_edge')}/instances/${pod?.uuid}/delete`, 'core_delegate_delete'],
    [`${account.groupPage('_nothing')}/delete`, 'core_delegate_delete'],
    [account.path('delete'), 'core_delegate_delete'],
    [account.path('users'), 'core_user_manage'],
    [account.path('roles'), 'core_role_manage'],
    [account.path('audit'), 'core_audit_view'],
    [account.path('embeds'), 'core_embed_manage'],
  ] as const) {
    const answer = await page.goto(path);
    expect(answer?.status(), path).toBe(403);
    await expect(page.getByRole('heading', { level: 1, name: 'You may not see this page' })).toBeVisible();
    await expect(page.getByRole('main').getByText(why(permission))).toBeVisible();
  }
  await keys.sound();

  // What can be managed is named with what it takes; tokens can be looked at.
  await keys.open(account.path('tokens'));
  await expect(page.getByRole('rowheader', { name: 'edge', exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'New token' })).toHaveAttribute('aria-disabled', 'true');
  await expect(page.getByRole('main').getByText(why('core_delegate_edit')).first()).toBeVisible();
  await expect(page.getByRole('button', { name: `Revoke… edge. ${why('core_delegate_delete')}` })).toHaveAttribute('aria-disabled', 'true');
  await keys.press(page.getByRole('button', { name: 'Manage', exact: true }));
  await expect(page.getByRole('link', { name: 'Users' })).toHaveAttribute('aria-disabled', 'true');
  await expect(page.getByText(why('core_user_manage'))).toBeVisible();
  await keys.sound();
  expect((await fleet(account)).counts.instances).toBe(2);
});

test('Who has a role for one delegate sees that one alone', async ({ page, keys, server, account, versions, guard }) => {
  guard.expect(/status of 404/);
  await registerAll(account, [
    { name: 'mine', version: versions.latest },
    { name: 'theirs', version: versions.expired },
  ]);
  const email = `narrow@${account.name}.test`;
  await addPerson(server, { email, scope: account.name, role: 'operator', delegates: '_mine' });
  await become(page, server, email);
  const delegates = new Delegates(page);
  await keys.open(account.page());
  await expect(delegates.list.getByRole('rowheader').getByRole('link')).toHaveText(['mine']);
  await expect(delegates.card('Expired')).toContainText('0');
  await keys.open(account.page('', 'search=theirs'));
  await expect(page.getByRole('heading', { name: 'No delegate matches' })).toBeVisible();
  const answer = await page.goto(account.groupPage('_theirs'));
  expect(answer?.status()).toBe(404);
  await keys.sound();
});
